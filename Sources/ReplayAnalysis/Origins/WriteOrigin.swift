import EventLog

/// Who made an event, with names for its addresses.
struct WriteOrigin: Codable, Sendable {
  var thread: String?
  var task: String?
  /// The innermost call that the app's own code made.
  var function: String?
  var site: String?
  /// The innermost call first.
  var stack: [StackFrame]

  init(_ origin: Origin, _ symbolizer: Symbolizer) {
    thread = origin.thread
    task = origin.task
    stack = origin.stack.map { symbolizer.frames(of: $0) } ?? []
    let caller = stack.first(where: \.isCaller)
    function = caller?.function
    site = caller?.site
  }
}
