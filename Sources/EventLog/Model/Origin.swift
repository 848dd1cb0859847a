/// Who made an event: what only some events carry, because somebody asked for it while recording.
public struct Origin: Hashable, Sendable {
  /// The name of the thread.
  public var thread: String?
  /// The name of the task.
  public var task: String?
  /// The call stack, the innermost call first, as addresses in images; FORMAT.md says how it is written.
  public var stack: String?

  /// Creates an origin.
  public init(thread: String? = nil, task: String? = nil, stack: String? = nil) {
    self.thread = thread
    self.task = task
    self.stack = stack
  }

  /// The same; nil if it says nothing.
  var unlessEmpty: Origin? { thread == nil && task == nil && stack == nil ? nil : self }

  /// Whether all of it is the same, byte for byte.
  public static func == (a: Origin, b: Origin) -> Bool {
    a.thread.hasSameBytes(as: b.thread) && a.task.hasSameBytes(as: b.task)
      && a.stack.hasSameBytes(as: b.stack)
  }

  /// Hashes consistently with `==`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(thread.map(ExactString.init))
    hasher.combine(task.map(ExactString.init))
    hasher.combine(stack.map(ExactString.init))
  }
}
