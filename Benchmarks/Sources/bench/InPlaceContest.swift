import BenchSupport
import Projection

extension Contest {
  /// Appends an element to an array of a thousand, and removes the last one, each in place.
  static func inPlace(_ operations: Int) -> Contest {
    Contest(
      title: "append to an array of 1,000 rows in place, then remove the last", operations: operations,
      contenders: [
        Contender(name: "@Observable, [Row], unrecorded") { count in
          let store = ObservableStore()
          store.rows = Row.seed(1_000)
          return {
            for number in 0..<count {
              store.rows.append(Row(id: 1_000 + number, title: "new"))
              store.rows.removeLast()
            }
          }
        },
        Contender(name: "@Recorded, RecordedArray, in no session") { count in
          appending(to: RecordedStore(), count) {}
        },
        Contender(name: "@Recorded, RecordedArray, session that records nothing") { count in
          let session = Session()
          let store = RecordedStore()
          session.attach(store, as: "store")
          return appending(to: store, count) { consume(session) }
        },
        Contender(name: "@Recorded, RecordedArray, recorded to a file") { count in
          let recording = try RecordingSession()
          let store = RecordedStore()
          recording.session.attach(store, as: "store")
          return appending(to: store, count) { consume(recording) }
        },
      ])
  }

  private static func appending(
    to store: RecordedStore, _ count: Int, _ end: @escaping () -> Void
  ) -> () -> Void {
    store.rows = RecordedArray(Row.seed(1_000))
    return {
      for number in 0..<count {
        store.rows.append(Row(id: 1_000 + number, title: "new"))
        store.rows.removeLast()
      }
      end()
    }
  }
}
