import Synchronization

/// The event because of which a task's code runs: an action, or what called a callback. Tasks that it starts inherit it,
/// also across actors.
///
/// A task has one for each session. They are a list, the latest first, in which no session comes twice, so that a chain of
/// tasks that start each other for ever takes no more memory.
final class AmbientCause: Sendable {
  private let session: UInt64
  private let seq: UInt64
  /// Whether the code runs because of nothing; `seq` is then the last event before it ran.
  private let isEmpty: Bool
  private let outer: AmbientCause?

  private init(session: UInt64, seq: UInt64, isEmpty: Bool, outer: AmbientCause?) {
    self.session = session
    self.seq = seq
    self.isEmpty = isEmpty
    self.outer = outer
  }

  /// That of the current task, or of the current thread outside of tasks.
  @TaskLocal static var current: AmbientCause?

  /// Whether there was ever one in this process. Until then a set need not look.
  private static let isUsed = Atomic<Bool>(false)

  /// The event of a session because of which the current code runs. The session is looked at only if there may be one, since
  /// a reference to it is counted.
  @inline(__always)
  static func seq(in engine: @autoclosure () -> Engine) -> UInt64? {
    isUsed.load(ordering: .relaxed) ? found(in: engine()) : nil
  }

  @inline(never)
  private static func found(in engine: Engine) -> UInt64? {
    let list = current
    // Nearly always the latest is of this session; another entry would have to be retained.
    let (seq, isEmpty) =
      list.flatMap { list in
        list.session == engine.number
          ? (list.seq, list.isEmpty) : list.entry(of: engine.number).map { ($0.seq, $0.isEmpty) }
      } ?? (0, true)
    // Of two that are around the code, the inner one began later.
    if hasOther.load(ordering: .relaxed), let other = other.withLock({ $0 })?.find(engine.number), other > seq
    {
      return other
    }
    return isEmpty ? nil : seq
  }

  /// Finds a session's event in what another package keeps for each task, given the session's number.
  typealias Other = @Sendable (_ session: UInt64) -> UInt64?

  private static let hasOther = Atomic<Bool>(false)
  private static let other = Mutex<OtherSource?>(nil)

  /// Holds the closure. A mutex of the closure itself would wrap it once more at each access, without end.
  private final class OtherSource: Sendable {
    let find: Other
    init(_ find: @escaping Other) { self.find = find }
  }

  /// Looks for events there as well, from now on.
  static func look(in other: @escaping Other) {
    Self.other.withLock { $0 = OtherSource(other) }
    hasOther.store(true, ordering: .relaxed)
    isUsed.store(true, ordering: .relaxed)
  }

  /// The current list with an event of a session in front.
  static func adding(_ seq: UInt64, of engine: Engine) -> AmbientCause {
    isUsed.store(true, ordering: .relaxed)
    return AmbientCause(
      session: engine.number, seq: seq, isEmpty: false, outer: current?.without(engine.number))
  }

  /// The current list without any event of a session up to its last one.
  static func clearing(upTo last: UInt64, of engine: Engine) -> AmbientCause {
    AmbientCause(session: engine.number, seq: last, isEmpty: true, outer: current?.without(engine.number))
  }

  private func entry(of session: UInt64) -> AmbientCause? {
    var next: AmbientCause? = self
    while let entry = next {
      if entry.session == session { return entry }
      next = entry.outer
    }
    return nil
  }

  private func without(_ session: UInt64) -> AmbientCause? {
    guard entry(of: session) != nil else { return self }
    if self.session == session { return outer }
    return AmbientCause(session: self.session, seq: seq, isEmpty: isEmpty, outer: outer?.without(session))
  }

  private static let sessions = Atomic<UInt64>(0)

  /// A number that no other session of this process has.
  static func nextSession() -> UInt64 { sessions.add(1, ordering: .relaxed).newValue }
}

extension Engine {
  /// Runs the body, and what it starts, because of an event; nil for no event of this session.
  func carrying<R>(_ seq: UInt64?, _ body: () throws -> R) rethrows -> R {
    guard let seq else { return try body() }
    return try AmbientCause.$current.withValue(AmbientCause.adding(seq, of: self), operation: body)
  }
}
