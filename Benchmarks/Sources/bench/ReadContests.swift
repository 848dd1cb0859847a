import BenchSupport
import Observation
import Projection

extension Contest {
  /// A read that is not tracked.
  static func readOutside(_ operations: Int) -> Contest {
    Contest(
      title: "read an Int property, nobody tracks", operations: operations,
      contenders: [
        Contender(name: "@Observable") { count in
          let store = ObservableStore()
          return { for _ in 0..<count { consume(store.number) } }
        },
        Contender(name: "@Recorded, in no session") { count in
          let store = RecordedStore()
          return { for _ in 0..<count { consume(store.number) } }
        },
        Contender(name: "@Recorded, recorded to a file") { count in
          let recording = try RecordingSession()
          let store = RecordedStore()
          recording.session.attach(store, as: "store")
          return {
            for _ in 0..<count { consume(store.number) }
            consume(recording)
          }
        },
      ])
  }

  /// Reads of 100 objects within one tracked run, the run's own cost included.
  static func readInside(_ operations: Int) -> Contest {
    Contest(
      title: "read an Int property of each of 100 objects in a tracked run", operations: operations,
      contenders: [
        Contender(name: "@Observable, withObservationTracking") { count in
          let stores = (0..<100).map { _ in ObservableStore() }
          return {
            for turn in 0..<(count / 100) {
              withObservationTracking {
                for store in stores { consume(store.number) }
              } onChange: {
              }
              stores[turn % 100].number += 1
            }
          }
        },
        Contender(name: "@Recorded, projection, recorded to a file") { count in
          let recording = try RecordingSession()
          let cells = (0..<100).map { _ in Cell() }
          let root = Cells()
          root.all = RecordedArray(cells)
          recording.session.attach(root, as: "cells")
          recording.session.projection("View") { _ in for cell in cells { consume(cell.value) } }
          return {
            for turn in 0..<(count / 100) { cells[turn % 100].value += 1 }
            consume(recording)
          }
        },
      ])
  }

  /// Creating and releasing an object with one property.
  static func create(_ operations: Int) -> Contest {
    Contest(
      title: "create an object with one property", operations: operations,
      contenders: [
        Contender(name: "@Observable") { count in { for _ in 0..<count { consume(ObservableOne()) } } },
        Contender(name: "@Recorded") { count in { for _ in 0..<count { consume(Cell()) } } },
      ])
  }

  /// Ending 100,000 subscriptions, all to one property.
  static func cancel(_ operations: Int) -> Contest {
    Contest(
      title: "cancel each of \(operations) callbacks of one property", operations: operations,
      contenders: [
        Contender(name: "onChange, recorded to a file") { count in
          let recording = try RecordingSession()
          let store = RecordedStore()
          recording.session.attach(store, as: "store")
          let callbacks = (0..<count).map { number in
            recording.session.onChange(of: \.number, in: store, name: "C#\(number)") { _, _ in }
          }
          return {
            for callback in callbacks { callback.cancel() }
            consume(recording)
          }
        },
        Contender(name: "onReceive, recorded to a file") { count in
          let recording = try RecordingSession()
          let store = RecordedStore()
          recording.session.attach(store, as: "store")
          let callbacks = (0..<count).map { number in
            recording.session.onReceive(of: \.number, in: store, name: "R#\(number)") { _ in }
          }
          return {
            for callback in callbacks { callback.cancel() }
            consume(recording)
          }
        },
      ])
  }
}

@Observable final class ObservableOne { var value = 0 }
