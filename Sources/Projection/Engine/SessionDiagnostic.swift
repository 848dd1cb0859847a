import EventLog

/// A mistake in the use of a session, or something that the session could not do. The session continues after
/// it.
public struct SessionDiagnostic: Hashable, Sendable, CustomStringConvertible {
  /// The diagnostic, in one sentence.
  public var message: String

  /// The message.
  public var description: String { message }
}

/// The diagnostics of a session. Mistakes that may be made again and again are reported once.
struct DiagnosticList {
  private(set) var all: [SessionDiagnostic] = []
  /// The cycles of derived values that were reported.
  private var cycles: Set<DerivedCycle> = []
  /// The duplicate ids that were reported.
  private var duplicateIDs: Set<DuplicateID> = []
  /// The classes that were reported because an object belongs to another session.
  private var foreignTypes: Set<ObjectIdentifier> = []
  /// The names of children and the types of their inputs that were reported as not comparable.
  private var incomparableInputs: Set<InputKind> = []

  private struct InputKind: Hashable {
    let child: String
    let type: ObjectIdentifier
  }

  mutating func report(_ message: String) { all.append(SessionDiagnostic(message: message)) }

  /// The messages about unrecorded objects, which the log gets as marks when the session closes.
  private(set) var forLog: [String] = []

  /// Adds the diagnostics of readers of objects that are not recorded.
  mutating func add(_ diagnostics: [SessionDiagnostic]) {
    all += diagnostics
    forLog += diagnostics.map(\.message)
  }

  /// Reports a cycle of derived values, once.
  mutating func report(_ cycle: DerivedCycle) {
    if cycles.insert(cycle).inserted { report(cycle.description) }
  }

  /// Reports that several elements have one id, of which only the first counts, once for each id.
  ///
  /// - Parameter object: The path of the object that has the array.
  mutating func report(_ duplicate: DuplicateID, in object: @autoclosure () -> Path) {
    guard duplicateIDs.insert(duplicate).inserted else { return }
    let array = object().appending(.property(duplicate.property))
    report("\(array) has more than one element with the id \(duplicate.id.json); the first one counts")
  }

  /// Reports that an object to be recorded belongs to another session, once for each class.
  mutating func reportForeign(_ type: any RecordedObject.Type) {
    guard foreignTypes.insert(ObjectIdentifier(type)).inserted else { return }
    report("a \(type) was not recorded, because another session records it; close that session first")
    if let message = all.last?.message { forLog.append(message) }
  }

  /// Whether to report an input that cannot be compared: it was not reported yet, and the limit is not
  /// reached. There is a limit, because children can have any number of names.
  mutating func isNewInput(of child: String, _ type: Any.Type) -> Bool {
    incomparableInputs.count < 64
      && incomparableInputs.insert(InputKind(child: child, type: ObjectIdentifier(type))).inserted
  }

  /// Whether an object of a class was reported as belonging to another session.
  func isForeign(_ type: any RecordedObject.Type) -> Bool { foreignTypes.contains(ObjectIdentifier(type)) }
}
