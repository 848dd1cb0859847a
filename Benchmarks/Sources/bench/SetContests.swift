import BenchSupport
import OpenCombine
import Projection

extension Contest {
  /// A set of an Int property without readers.
  static func set(_ operations: Int) -> Contest {
    Contest(
      title: "set an Int property, nobody watches", operations: operations,
      contenders: [
        Contender(name: "@Observable, unrecorded") { count in
          let store = ObservableStore()
          return { for number in 1...count { store.number = number } }
        },
        Contender(name: "@Published, unrecorded") { count in
          let store = PublishedStore()
          return { for number in 1...count { store.number = number } }
        },
        Contender(name: "@Recorded, in no session") { count in
          let store = RecordedStore()
          return { for number in 1...count { store.number = number } }
        },
        Contender(name: "@Recorded, session that records nothing") { count in
          let session = Session()
          let store = RecordedStore()
          session.attach(store, as: "store")
          return {
            for number in 1...count { store.number = number }
            consume(session)
          }
        },
        Contender(name: "@Recorded, recorded to a file") { count in
          let recording = try RecordingSession()
          let store = RecordedStore()
          recording.session.attach(store, as: "store")
          return {
            for number in 1...count { store.number = number }
            consume(recording)
          }
        },
      ])
  }

  /// The same over a longer time than the log's queue can buffer, so that the work of the log's thread shows.
  static func sustainedSet(_ operations: Int) -> Contest {
    var contest = set(operations)
    contest.title = "sustained: \(contest.title)"
    contest.contenders.removeAll { !$0.name.contains("@Observable") && !$0.name.contains("a file") }
    return contest
  }

  /// A set of an Int property that invalidates one projection, which reads it again.
  static func wake(_ operations: Int) -> Contest {
    Contest(
      title: "set an Int property, one projection reads it again", operations: operations,
      contenders: [
        .rearmed,
        Contender(name: "@Published, sink") { count in
          let store = PublishedStore()
          var runs = 0
          let sink = store.$number.sink { _ in runs += 1 }
          return {
            for number in 1...count { store.number = number }
            precondition(runs == count + 1)
            consume(sink)
          }
        },
        Contender(name: "@Recorded, session that records nothing") { count in
          let session = Session()
          return waking(session, count) { consume(session) }
        },
        Contender(name: "@Recorded, recorded to a file") { count in
          let recording = try RecordingSession()
          return waking(recording.session, count) { consume(recording) }
        },
      ])
  }

  private static func waking(_ session: Session, _ count: Int, _ end: @escaping () -> Void) -> () -> Void {
    let store = RecordedStore()
    session.attach(store, as: "store")
    var runs = 0
    session.projection("View") { _ in
      consume(store.number)
      runs += 1
    }
    return {
      for number in 1...count { store.number = number }
      precondition(runs == count + 1)
      end()
    }
  }
}

extension Contest.Contender {
  /// A set of an Int property, which an observer of the standard library reads again.
  static var rearmed: Self {
    Self(name: "@Observable, withObservationTracking re-armed") { count in
      let store = ObservableStore()
      let view = Rearming { consume(store.number) }
      return {
        for number in 1...count {
          store.number = number
          view.settle()
        }
        precondition(view.runs == count + 1)
      }
    }
  }
}
