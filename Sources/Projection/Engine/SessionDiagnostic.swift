import EventLog

/// A mistake in the use of a session, or something that it could not do, after which it goes on.
public struct SessionDiagnostic: Hashable, Sendable, CustomStringConvertible {
  /// What happened, in one sentence.
  public var message: String

  /// The message.
  public var description: String { message }
}

/// What a session has to report of its use. Some mistakes are made again and again, and reported once.
struct DiagnosticList {
  private(set) var all: [SessionDiagnostic] = []
  /// The circles of derived values that were reported.
  private var cycles: Set<DerivedCycle> = []
  /// The ids that were reported as given to more than one element.
  private var duplicateIDs: Set<DuplicateID> = []
  /// The classes of which an object was reported as another session's.
  private var foreignTypes: Set<ObjectIdentifier> = []
  /// The names of children and the types of their inputs that were reported as not comparable.
  private var incomparableInputs: Set<InputKind> = []

  private struct InputKind: Hashable {
    let child: String
    let type: ObjectIdentifier
  }

  mutating func report(_ message: String) { all.append(SessionDiagnostic(message: message)) }

  /// The messages about objects that are not recorded, which are to be in the log as marks at its end.
  private(set) var forLog: [String] = []

  /// Adds the diagnostics of readers of objects that are not recorded.
  mutating func add(_ diagnostics: [SessionDiagnostic]) {
    all += diagnostics
    forLog += diagnostics.map(\.message)
  }

  /// Reports a circle of derived values, once.
  mutating func report(_ cycle: DerivedCycle) {
    if cycles.insert(cycle).inserted { report(cycle.description) }
  }

  /// Reports that of several elements with one id only the first counts, once for an id.
  ///
  /// - Parameter object: The path of the object that has the array.
  mutating func report(_ duplicate: DuplicateID, in object: @autoclosure () -> Path) {
    guard duplicateIDs.insert(duplicate).inserted else { return }
    let array = object().appending(.property(duplicate.property))
    report("\(array) has more than one element with the id \(duplicate.id.json); the first one counts")
  }

  /// Reports that an object which was to be recorded is another session's, once for a class.
  mutating func reportForeign(_ type: any RecordedObject.Type) {
    guard foreignTypes.insert(ObjectIdentifier(type)).inserted else { return }
    report("a \(type) was not recorded, because another session records it; close that session first")
    if let message = all.last?.message { forLog.append(message) }
  }

  /// Whether an input that cannot be compared was not reported yet, and is to be: children may be called anything, so only
  /// some are.
  mutating func isNewInput(of child: String, _ type: Any.Type) -> Bool {
    incomparableInputs.count < 64
      && incomparableInputs.insert(InputKind(child: child, type: ObjectIdentifier(type))).inserted
  }

  /// Whether an object of a class was reported as another session's.
  func isForeign(_ type: any RecordedObject.Type) -> Bool { foreignTypes.contains(ObjectIdentifier(type)) }
}
