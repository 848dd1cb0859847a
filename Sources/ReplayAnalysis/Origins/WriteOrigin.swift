import EventLog

/// The thread, task and stack that made an event, with names for the stack's addresses.
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

/// One line of a stack as it is shown.
package enum StackLine {
  /// A call that the app's own code made.
  case call(StackFrame)
  /// Calls of libraries, getters, setters and thunks between two of the app's own calls.
  case folded([StackFrame])
  /// Such calls within the app's innermost call.
  case within([StackFrame])

  /// The lines of a stack. The app's innermost call comes first, since the calls within it belong to
  /// libraries. If no call is known to be the app's, every call has a line.
  package static func lines(of stack: [StackFrame]) -> [StackLine] {
    guard let first = stack.firstIndex(where: \.isCaller) else { return stack.map { .call($0) } }
    var lines: [StackLine] = []
    for frame in stack[first...] {
      if frame.isCaller {
        lines.append(.call(frame))
      } else if case .folded(let others)? = lines.last {
        lines[lines.count - 1] = .folded(others + [frame])
      } else {
        lines.append(.folded([frame]))
      }
    }
    if first > 0 { lines.append(.within(Array(stack[..<first]))) }
    return lines
  }
}

/// One call of a recorded stack: an address in an image, as FORMAT.md writes it.
struct StackCall: Hashable {
  var image: String
  /// The build id of the image in hexadecimal; empty if it had none.
  var build: String
  var offset: UInt64

  /// No stack has more calls; further ones in a log are ignored.
  private static let most = 256

  /// The calls of a stack, the innermost first. Lines that are not calls are left out.
  static func calls(in stack: String) -> [StackCall] {
    var calls: [StackCall] = []
    var (image, build) = ("", "")
    for line in stack.split(separator: "\n").prefix(most) {
      guard let plus = line.lastIndex(of: "+"),
        let offset = UInt64(line[line.index(after: plus)...], radix: 16)
      else { continue }
      let name = line[..<plus]
      if let mark = name.lastIndex(of: "#") {
        (image, build) = (String(name[..<mark]), String(name[name.index(after: mark)...]))
      }
      if !image.isEmpty { calls.append(StackCall(image: image, build: build, offset: offset)) }
    }
    return calls
  }
}

/// A call with the names that were found for it.
package struct StackFrame: Hashable, Codable, Sendable {
  /// A short name of the function that the call is in: `ChatModel.tick()`. Nil if the address is unknown.
  package var function: String?
  /// The source file of the call; nil without debug information.
  var file: String?
  var line: Int?
  package var image: String
  package var offset: UInt64
  /// The module of a Swift function.
  package var module: String?
  /// Whether the call is in the app's own code, and not in a getter, setter or thunk.
  var isCaller = false

  /// `Chat.swift:42`.
  package var site: String? {
    guard let file, let line, line > 0 else { return nil }
    return "\(file.split(separator: "/").last ?? "?"):\(line)"
  }
}
