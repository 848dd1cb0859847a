import EventLog

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Determines the call stack, thread and task of events, for the events whose origin an app asked to record.
///
/// Used under the session's lock.
struct OriginRecorder {
  /// The paths whose writes are recorded with their origin. If empty, the origin of all writes, transactions
  /// and marks is recorded.
  private let patterns: [PathPattern]
  /// One of this many events is recorded with its origin.
  private let interval: Int
  private var untilNext = 0
  /// The ids in the log of the origins found so far.
  private var known: [Caller: LogWriter.OriginID] = [:]
  /// The text for each image in a stack: its path and build id.
  private var images: [ExactString: String] = [:]

  /// The most distinct stacks that are kept, because each takes about a kilobyte here and in the log. Later
  /// events with other stacks get only thread and task.
  private static let maximumCallers = 10_000

  private struct Caller: Hashable {
    var addresses: [UInt]
    var names: Origin
  }

  init(patterns: [PathPattern], interval: Int) {
    self.patterns = patterns
    self.interval = max(1, interval)
  }

  /// Whether all writes to a path need their origin, because a pattern matches the path.
  func wantsAll(at path: Path) -> Bool { patterns.contains { $0.matches(path) } }

  /// Whether the next write needs its origin, regardless of its path.
  var isDue: Bool { patterns.isEmpty && untilNext == 0 }

  /// Counts a write without origin.
  mutating func markSkipped() {
    if patterns.isEmpty, untilNext > 0 { untilNext -= 1 }
  }

  /// The id of an event's origin, if it needs one. Call it on the thread that makes the event.
  mutating func origin(of body: Event.Body, in log: LogWriter) throws(LogError) -> LogWriter.OriginID? {
    guard needsOrigin(body) else { return nil }
    if untilNext > 0 {
      untilNext -= 1
      return nil
    }
    untilNext = interval - 1
    return try caller(in: log)
  }

  private func needsOrigin(_ body: Event.Body) -> Bool {
    switch body {
    case .set(let path, _, _), .splice(let path, _, _, _, _), .remove(let path, _):
      patterns.isEmpty || wantsAll(at: path)
    case .begin, .mark, .action: patterns.isEmpty
    default: false
    }
  }

  private mutating func caller(in log: LogWriter) throws(LogError) -> LogWriter.OriginID {
    var caller = Caller(
      addresses: CallStack.addresses(), names: Origin(thread: ThreadName.current, task: Self.taskName))
    if known.count >= Self.maximumCallers, known[caller] == nil { caller.addresses = [] }
    let old = known[caller]
    // Task names may go on changing without end, so origins without a stack are dropped.
    if old == nil, known.count >= 2 * Self.maximumCallers {
      known = known.filter { !$0.key.addresses.isEmpty }
    }
    let id = try log.define(origin(of: caller), renewing: old)
    if id != old { known[caller] = id }
    return id
  }

  private mutating func origin(of caller: Caller) -> Origin {
    var origin = caller.names
    origin.stack = caller.addresses.isEmpty ? nil : text(of: caller.addresses)
    return origin
  }

  private static var taskName: String? {
    if #available(macOS 26, iOS 26, *) { Task.name } else { nil }
  }

  /// The stack as text, in the format that FORMAT.md defines.
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

private enum ThreadName {
  private typealias GetName = @convention(c) (pthread_t, UnsafeMutablePointer<CChar>, Int) -> Int32
  private typealias GetID = @convention(c) () -> pid_t

  private static let getName: GetName? = CLibrary.function("pthread_getname_np")

  #if canImport(Darwin)
    private static var isMain: Bool { pthread_main_np() != 0 }
  #else
    private static let getID: GetID? = CLibrary.function("gettid")
    private static var isMain: Bool { getID?() == getpid() }
  #endif

  /// `main`, or the thread's name, if it has one. Cost: some system calls.
  static var current: String? {
    if isMain { return "main" }
    var name = [CChar](repeating: 0, count: 64)
    guard getName?(pthread_self(), &name, name.count) == 0, name[0] != 0 else { return nil }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
