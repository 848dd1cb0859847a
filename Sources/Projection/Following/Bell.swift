import EventLog
import Observation

/// A class of the session's own whose reads tell it of observations: no class of the app.
protocol ObservationProbe: Observable {}

/// Ends an observation of the standard library before anything that it has read changes, by seeming to change itself: an
/// observation that has heard the bell ends when it rings. The library has no other public way.
final class Bell: ObservationProbe, Sendable {
  private let registrar = ObservationRegistrar()
  private var sound: Void { () }

  /// Adds the bell to what the code around is observed to read.
  func hear() { registrar.access(self, keyPath: \.sound) }

  /// Ends the observations that have heard it, whose notices come during this call.
  func ring() { registrar.willSet(self, keyPath: \.sound) }
}

/// Finds out whether the standard library observes the current thread's reads.
enum OuterObserver {
  private final class Subject: ObservationProbe, Sendable {
    let registrar = ObservationRegistrar()
    /// Has no value; the subscript exists only for its key paths.
    subscript(_: Int) -> Void { () }
  }

  /// A read that an observation retains once. Its key path depends on an index only, so any thread may use it.
  private struct Witness: @unchecked Sendable {
    let index: Int
    private var keyPath: KeyPath<Subject, Void>

    init(_ index: Int) {
      self.index = index
      keyPath = \Subject.[index]
    }

    /// Reads, and returns whether something has retained that: an observation without such a read so far.
    mutating func isRetained() -> Bool {
      subject.registrar.access(subject, keyPath: keyPath)
      return !isKnownUniquelyReferenced(&keyPath)
    }
  }

  private static let subject = Subject()
  /// One that no observation has retained.
  private static let witness = Lock(Witness(0))

  /// Whether there is an observer, which would retain the key path of a read; see ``Watchers``.
  static func exists() -> Bool {
    witness.withLock { witness in
      guard witness.isRetained() else { return false }
      witness = Witness(witness.index + 1)
      return true
    }
  }

  /// A number of which no observation has a read yet.
  static func newMark() -> Int {
    witness.withLock { witness in
      defer { witness = Witness(witness.index + 1) }
      return witness.index
    }
  }

  /// Marks the innermost observation, and returns whether it had another mark or none.
  @discardableResult
  static func mark(_ mark: Int) -> Bool {
    var witness = Witness(mark)
    return witness.isRetained()
  }
}
