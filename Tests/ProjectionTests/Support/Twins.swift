import Observation
import Projection
import Synchronization

/// The observations of a script, in order; they must be the same for an `@Observable` object and its
/// `@Recorded` twin.
final class Journal: Sendable {
  private let stored = Mutex<[String]>([])

  var lines: [String] { stored.withLock(\.self) }

  func append(_ line: String) { stored.withLock { $0.append(line) } }

  /// Appends the next notice of the standard library for the values that the body reads.
  func watch(_ name: String, _ body: () -> Void) {
    withObservationTracking(body) { [self] in append("\(name) changes") }
  }
}

/// The session that the object is attached to, if any.
func session(recording object: some RecordedObject, if isAttached: Bool) -> Session? {
  guard isAttached else { return nil }
  let session = Session()
  session.attach(object, as: "twin")
  return session
}

/// Whether the body leaves the elements at the same address.
func staysInPlace(_ read: () -> [Int], _ body: () -> Void) -> Bool {
  func address() -> UInt { read().withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
  let before = address()
  body()
  return address() == before
}
