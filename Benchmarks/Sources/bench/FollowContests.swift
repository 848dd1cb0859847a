import BenchSupport
import Projection

extension Contest {
  /// A set of an Int property of an object that is followed, beside one that an observer reads and observes again by itself.
  static func followedSet(_ operations: Int) -> Contest {
    Contest(
      title: "set an Int property of an object that is followed", operations: operations,
      contenders: [
        .rearmed,
        Contender(name: "followed set, session that records nothing") { count in
          let session = Session()
          return followedSet(in: session, count) { consume(session) }
        },
        Contender(name: "followed set, recorded to a file") { count in
          let recording = try RecordingSession()
          return followedSet(in: recording.session, count) { consume(recording) }
        },
      ])
  }

  private static func followedSet(
    in session: Session, _ count: Int, _ end: @escaping () -> Void
  ) -> () -> Void {
    let store = ObservableStore()
    session.follow(store, as: "store", properties: \.number)
    return {
      for number in 1...count { store.number = number }
      end()
    }
  }

  /// The same with a flush after each, as before sets were told.
  static func followed(_ operations: Int) -> Contest {
    Contest(
      title: "set an Int property of an object that is followed, and flush", operations: operations,
      contenders: [
        .rearmed,
        Contender(name: "followed, session that records nothing") { count in
          let session = Session()
          return followed(in: session, isRead: false, count) { consume(session) }
        },
        Contender(name: "followed, recorded to a file") { count in
          let recording = try RecordingSession()
          return followed(in: recording.session, isRead: false, count) { consume(recording) }
        },
        Contender(name: "followed and read by a projection, recorded to a file") { count in
          let recording = try RecordingSession()
          return followed(in: recording.session, isRead: true, count) { consume(recording) }
        },
      ])
  }

  private static func followed(
    in session: Session, isRead: Bool, _ count: Int, _ end: @escaping () -> Void
  ) -> () -> Void {
    let store = ObservableStore()
    session.follow(store, as: "store", properties: \.number)
    if isRead { session.projection("Number") { _ in consume(store.number) } }
    return {
      for number in 1...count {
        store.number = number
        session.flush()
      }
      end()
    }
  }
}
