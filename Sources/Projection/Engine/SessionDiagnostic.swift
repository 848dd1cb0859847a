import EventLog

/// A mistake in the use of a session, or something that the session could not do. The session continues after
/// it.
public struct SessionDiagnostic: Hashable, Sendable, CustomStringConvertible {
  /// The diagnostic, in one sentence.
  public var message: String

  /// The message.
  public var description: String { message }
}

/// The diagnostics of a session, each message once, and those that the log does not have yet.
struct DiagnosticList {
  private(set) var all: [SessionDiagnostic] = []
  /// Whether some are not in the log yet.
  private(set) var isPending = false
  private var pending: [Pending] = []
  private var known: Set<SessionDiagnostic> = []
  /// The names of the nodes that were reported because they keep a flush from ending.
  private var endless: Set<String> = []
  /// The duplicate ids that were reported.
  private var duplicateIDs: Set<DuplicateID> = []
  /// The classes that were reported because an object belongs to another session.
  private var foreignTypes: Set<ObjectIdentifier> = []
  /// The names of children and the types of their inputs that were reported as not comparable.
  private var incomparableInputs: Set<InputKind> = []

  /// How often inputs were compared by their parts, by the names of children and the types.
  private var comparisons: [InputKind: Int] = [:]
  /// After how many comparisons the log has it, and the most kinds that are counted.
  private static let comparisonsMany = 100
  private static let comparedKindsMax = 64

  /// The most diagnostics that are kept, because a message may contain any number of names.
  private static let countMax = 1_000
  /// The most Unicode scalars of a message. A label in a log has a limit, beyond which the log would fail.
  private static let lengthMax = 2_000

  /// A diagnostic that the log does not have yet.
  struct Pending {
    let diagnostic: SessionDiagnostic
    let cause: UInt64?
    let site: String?
  }

  private struct InputKind: Hashable {
    let child: String
    let type: ObjectIdentifier
  }

  /// Whether a diagnostic was not reported yet.
  func isNew(_ diagnostic: SessionDiagnostic) -> Bool { !known.contains(diagnostic) }

  /// Adds a diagnostic, unless it is known.
  fileprivate mutating func add(_ message: String, cause: UInt64?, site: String?) {
    guard all.count < Self.countMax else { return }
    let message = all.count < Self.countMax - 1 ? message : "there are more diagnostics, which are left out"
    let isLong = message.utf8.count > Self.lengthMax
    let diagnostic = SessionDiagnostic(
      message: isLong ? String(message.unicodeScalars.prefix(Self.lengthMax)) + "…" : message)
    guard known.insert(diagnostic).inserted else { return }
    all.append(diagnostic)
    pending.append(Pending(diagnostic: diagnostic, cause: cause, site: site))
    isPending = true
  }

  /// Removes and returns the diagnostics for the log.
  fileprivate mutating func popPending() -> [Pending] {
    defer { (pending, isPending) = ([], false) }
    return pending
  }

  /// Whether to report a node that keeps a flush from ending, by its name: it was not reported yet.
  mutating func isNewEndless(_ name: String) -> Bool {
    endless.count < Self.countMax && endless.insert(name).inserted
  }

  /// Whether to report that several elements have one id: it was not reported yet.
  fileprivate mutating func isNew(_ duplicate: DuplicateID) -> Bool {
    duplicateIDs.insert(duplicate).inserted
  }

  /// Whether to report an object of a class as belonging to another session: none was reported yet.
  fileprivate mutating func isNewForeign(_ type: any RecordedObject.Type) -> Bool {
    foreignTypes.insert(ObjectIdentifier(type)).inserted
  }

  /// Whether to report an input that cannot be compared: it was not reported yet, and the limit is not
  /// reached. There is a limit, because children can have any number of names.
  mutating func isNewInput(of child: String, _ type: Any.Type) -> Bool {
    incomparableInputs.count < 64
      && incomparableInputs.insert(InputKind(child: child, type: ObjectIdentifier(type))).inserted
  }

  /// Counts a comparison of an input by its parts. Whether it is the one after which the log has them.
  mutating func countComparison(ofInputOf child: String, _ type: Any.Type) -> Bool {
    let kind = InputKind(child: child, type: ObjectIdentifier(type))
    guard let count = comparisons[kind] ?? (comparisons.count < Self.comparedKindsMax ? 0 : nil) else {
      return false
    }
    comparisons[kind] = count + 1
    return count + 1 == Self.comparisonsMany
  }

  /// Whether an object of a class was reported as belonging to another session.
  func isForeign(_ type: any RecordedObject.Type) -> Bool { foreignTypes.contains(ObjectIdentifier(type)) }
}

// MARK: Reporting

extension Engine {
  /// Reports a diagnostic; see ``EngineState/report(_:cause:site:)``.
  func report(_ message: String) {
    withLock { state in
      state.report(message)
      state.appendDiagnostics()
    }
  }
}

extension EngineState {
  /// Reports a diagnostic. This is the only way to report one: it is added to the session's diagnostics, and
  /// appended to the log as a mark, by which `replay lint` lists it. A message that was reported before is
  /// ignored.
  ///
  /// It may be called anywhere under the lock, also in the middle of an event: the mark is appended by the next
  /// flush, which ends every change, when the event and its invalidations are complete.
  ///
  /// - Parameters:
  ///   - message: One sentence without the full stop. It is written to the log as it is, so it must not
  ///     contain a value: names, types, sizes and paths only.
  ///   - cause: The event that led to it; nil for that of the current thread's run.
  ///   - site: The source location that it is about.
  func report(_ message: String, cause: UInt64? = nil, site: String? = nil) {
    diagnostics.add(message, cause: cause ?? engine.currentCause, site: site)
  }

  /// Whether a flush must append diagnostics, or look for some.
  @inline(__always)
  var hasReports: Bool { diagnostics.isPending || recorder.lastSeq >= earlyReaders.lookSeq }

  /// Looks for what has waited long enough to be reported, and appends all diagnostics to the log.
  @inline(never)
  func appendReports() {
    reportEarlyReads()
    appendDiagnostics()
  }

  /// Appends the diagnostics to the log that it does not have yet. Call it where no event is under way. It
  /// does nothing while the thread holds the lock twice, because it may then be encoding a value for an event.
  func appendDiagnostics() {
    guard diagnostics.isPending, !engine.isTakenAgain else { return }
    for reported in diagnostics.popPending() {
      let mark = ReportedDiagnostic(reported.diagnostic.message)
      recorder.emit(.mark(label: mark.label), cause: reported.cause, site: reported.site)
    }
  }

  /// Reports that several elements have one id, of which only the first counts, once for each id.
  func report(_ duplicate: DuplicateID) {
    guard diagnostics.isNew(duplicate) else { return }
    let array = core.state.path(of: duplicate.object).appending(.property(duplicate.property))
    report("\(array) has more than one element with the id \(duplicate.id.json); the first one counts")
  }

  /// Reports that an object to be recorded belongs to another session, once for each class.
  func reportForeign(_ type: any RecordedObject.Type) {
    guard diagnostics.isNewForeign(type) else { return }
    report("a \(type) was not recorded, because another session records it; close that session first")
  }
}
