import EventLog
import Observation

/// Ends an observation of the standard library before anything that it has read changes, by seeming to change itself: an
/// observation that has heard the bell ends when it rings. The library has no other public way.
final class Bell: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private var sound: Void { () }

  /// Adds the bell to what the code around is observed to read.
  func hear() { registrar.access(self, keyPath: \.sound) }

  /// Ends the observations that have heard it, whose notices come during this call.
  func ring() { registrar.willSet(self, keyPath: \.sound) }
}

/// Finds out whether the standard library observes the current thread's reads.
enum OuterObserver {
  private final class Subject: Observable, Sendable {
    let registrar = ObservationRegistrar()
    /// Has no value; the subscript exists only for its key paths.
    subscript(_: Int) -> Void { () }
  }

  /// A key path that depends on an index only, so any thread may use it.
  private struct Witness: @unchecked Sendable {
    var keyPath: KeyPath<Subject, Void> = \Subject.[0]
  }

  private static let subject = Subject()
  private static let witness = Lock(Witness())

  /// Whether there is an observer, which would retain the key path of a read; see ``Watchers``.
  static func exists() -> Bool {
    witness.withLock { witness in
      subject.registrar.access(subject, keyPath: witness.keyPath)
      if isKnownUniquelyReferenced(&witness.keyPath) { return false }
      witness = Witness()
      return true
    }
  }
}
