import EventLog

/// Finds out who makes events, for the events that somebody wants it of.
struct OriginRecorder {
  /// The places whose writes are meant; empty for all, and for transactions and marks as well.
  private let patterns: [PathPattern]
  /// One in how many.
  private let interval: Int
  private var untilNext = 0
  private var known: [Caller: LogWriter.OriginID] = [:]
  private var images: [ExactString: String] = [:]

  /// Distinct callers; with more, only thread and task are kept. A writer never forgets a text.
  private static let maximumCallers = 10_000

  private struct Caller: Hashable {
    var addresses: [UInt]
    var names: Origin
  }

  init(patterns: [PathPattern], interval: Int) {
    self.patterns = patterns
    self.interval = max(1, interval)
  }

  /// Whether the writes to a path are meant, and those to others are not.
  func wantsAll(at path: Path) -> Bool { patterns.contains { $0.matches(path) } }

  /// Whether a write is not meant that goes to a place of which ``wantsAll(at:)`` is false.
  mutating func skip() -> Bool {
    if !patterns.isEmpty { return true }
    if untilNext == 0 { return false }
    untilNext -= 1
    return true
  }

  /// Who makes an event, if it is meant. Called on the thread that makes it.
  mutating func origin(of body: Event.Body, in log: LogWriter) throws(LogError) -> LogWriter.OriginID? {
    guard isMeant(body) else { return nil }
    if untilNext > 0 {
      untilNext -= 1
      return nil
    }
    untilNext = interval - 1
    return try caller(in: log)
  }

  private func isMeant(_ body: Event.Body) -> Bool {
    switch body {
    case .set(let path, _, _), .splice(let path, _, _, _, _), .remove(let path, _):
      patterns.isEmpty || wantsAll(at: path)
    case .begin, .mark: patterns.isEmpty
    default: false
    }
  }

  private mutating func caller(in log: LogWriter) throws(LogError) -> LogWriter.OriginID {
    var caller = Caller(
      addresses: CallStack.addresses(), names: Origin(thread: ThreadName.current, task: Self.taskName))
    if known.count >= Self.maximumCallers, known[caller] == nil { caller.addresses = [] }
    if let id = known[caller] { return id }
    var origin = caller.names
    origin.stack = caller.addresses.isEmpty ? nil : text(of: caller.addresses)
    let id = try log.define(origin)
    known[caller] = id
    return id
  }

  private static var taskName: String? {
    if #available(macOS 26, iOS 26, *) { Task.name } else { nil }
  }

  /// The stack as FORMAT.md has it.
  private mutating func text(of addresses: [UInt]) -> String {
    var lines: [String] = []
    var last: String?
    for address in addresses {
      guard let (image, offset) = CallStack.image(of: address) else { continue }
      let name = name(of: image)
      lines.append((name == last ? "" : name) + "+" + String(offset, radix: 16))
      last = name
    }
    return lines.joined(separator: "\n")
  }

  private mutating func name(of image: String) -> String {
    if let name = images[image] { return name }
    let name = String(image.unicodeScalars.filter { $0 != "\n" }) + "#" + BuildID.ofImage(at: image)
    images[image] = name
    return name
  }
}
