import BenchSupport
import OpenCombine
import Projection

extension Contest {
  /// Bumps one of many rows, whose views each read `store.rows[index]`. Each row was bumped once before, since the
  /// first bump defines its path in the log.
  static func trap(rows: Int, _ operations: Int) -> Contest {
    Contest(
      title: "bump one of \(rows) rows, every row reads store.rows[index]", operations: operations,
      contenders: [
        Contender(name: "@Observable, withObservationTracking re-armed") { count in
          let store = ObservableStore()
          store.rows = Row.seed(rows)
          let views = (0..<rows).map { index in Rearming { consume(store.rows[index].count) } }
          return {
            for turn in 0..<count {
              store.rows[turn % rows].count += 1
              for view in views { view.settle() }
            }
            precondition(views.reduce(0) { $0 + $1.runs } == rows * (count + 1))
          }
        },
        Contender(name: "@Published, objectWillChange sinks") { count in
          let store = PublishedStore()
          store.rows = Row.seed(rows)
          var runs = 0
          let sinks = (0..<rows).map { index in
            store.$rows.sink { rows in
              consume(rows[index].count)
              runs += 1
            }
          }
          return {
            for turn in 0..<count { store.rows[turn % rows].count += 1 }
            precondition(runs == rows * (count + 1))
            consume(sinks)
          }
        },
        Contender(name: "@Recorded, session that records nothing") { count in
          let session = Session()
          return bumping(session, rows, count) { consume(session) }
        },
        Contender(name: "@Recorded, recorded to a file") { count in
          let recording = try RecordingSession()
          return bumping(recording.session, rows, count) { consume(recording) }
        },
      ])
  }

  private static func bumping(
    _ session: Session, _ rows: Int, _ count: Int, _ end: @escaping () -> Void
  ) -> () -> Void {
    let store = RecordedStore()
    store.rows = RecordedArray(Row.seed(rows))
    session.attach(store, as: "store")
    var runs = 0
    session.projection("List") { scope in
      for index in store.rows.indices {
        scope.child("Row", id: index) { _ in
          consume(store.rows[index].count)
          runs += 1
        }
      }
    }
    for index in store.rows.indices { store.rows[index].count += 1 }
    runs = 0
    return {
      for turn in 0..<count { store.rows[turn % rows].count += 1 }
      precondition(runs == count)
      end()
    }
  }
}
