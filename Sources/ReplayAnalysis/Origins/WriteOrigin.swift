import EventLog

/// Who made an event, with names for its addresses.
package struct WriteOrigin: Codable, Sendable {
  package var thread: String?
  package var task: String?
  /// The innermost call that the app's own code made.
  package var function: String?
  package var site: String?
  /// The innermost call first.
  package var stack: [StackFrame]

  init(_ origin: Origin, _ symbolizer: Symbolizer) {
    thread = origin.thread
    task = origin.task
    stack = origin.stack.map { symbolizer.frames(of: $0) } ?? []
    let caller = stack.first(where: \.isCaller)
    function = caller?.function
    site = caller?.site
  }
}
