import EventLog
import ReplayAnalysis

/// The output of a command, and what its terminal can display.
final class Console {
  /// The reader closed the output. The command ends, which is not an error.
  struct BrokenPipe: Error {}

  /// The width of the terminal in columns; nil if the output is not a terminal and lines may have any length.
  let width: Int?
  let style: Style
  let progress: AnalysisProgress
  private let output: ([UInt8]) throws -> Void
  private let errors: ([UInt8]) -> Void
  private var buffer: [UInt8] = []
  /// How many bytes the output may still take.
  private var room = UInt64.max

  init(
    width: Int?, style: Style, output: @escaping ([UInt8]) throws -> Void,
    errors: @escaping ([UInt8]) -> Void,
    progress: AnalysisProgress = .hidden
  ) {
    self.progress = progress
    self.width = width
    self.style = style
    self.output = output
    self.errors = errors
  }

  /// The console on the process's standard output and standard error.
  static func standard() -> Console {
    let isTerminal = Platform.isTerminal(1)
    let wantsColour = isTerminal && (Platform.environment("NO_COLOR") ?? "").isEmpty
    let isDumb = Platform.environment("TERM") == "dumb"
    return Console(
      width: isTerminal ? Platform.width(of: 1) ?? 80 : nil,
      style: Style(isColoured: wantsColour && !isDumb),
      output: { bytes in
        switch Platform.write(bytes, to: 1) {
        case nil: break
        case Platform.brokenPipe: throw BrokenPipe()
        case let code?: throw ToolError("cannot write the output: \(Platform.message(code))")
        }
      },
      errors: { _ = Platform.write($0, to: 2) },
      progress: Platform.isTerminal(2) && !isDumb
        ? AnalysisProgress(ProgressLine { _ = Platform.write(Array($0.utf8), to: 2) }) : .hidden)
  }

  /// The text, cut to the width of a line that already has this many other columns.
  ///
  /// - Parameter keepsEnd: Whether to cut out the middle of the text instead of its end.
  func fit(_ text: String, beside others: Int = 0, keepsEnd: Bool = false) -> String {
    guard let width else { return text }
    let room = max(8, width - others)
    return keepsEnd ? text.cutWithin(to: room) : text.cut(to: room)
  }

  /// Prints a line, which may contain styles. Text from a log must be escaped by `shown` before.
  func print(_ line: String = "") throws {
    buffer.appendText(line)
    buffer.append(0x0A)
    if buffer.count > 1 << 16 { try flush() }
  }

  /// Prints a text in as many lines as it needs, each with a margin, the first perhaps with another one.
  func print(
    wrapping text: String, _ margin: String, first: String? = nil, in style: (String) -> String = { $0 }
  ) throws {
    let lines = text.wrapped(to: width.map { max(20, $0 - margin.count) })
    for (number, line) in lines.enumerated() {
      try print((number == 0 ? first ?? margin : margin) + style(line))
    }
  }

  /// Prints a value as one line of JSON.
  func print(json value: some Encodable) throws { try print(PrintedJSON(encoding: value).text) }

  func write(_ bytes: [UInt8]) throws {
    buffer.append(contentsOf: bytes)
    if buffer.count > 1 << 16 { try flush() }
  }

  func write(_ bytes: borrowing PrintedBytes) throws {
    bytes.withBytes { buffer.append(contentsOf: $0) }
    if buffer.count > 1 << 16 { try flush() }
  }

  /// Refuses to print what is far larger than a log: its events may all refer to one long name.
  func limitOutput(to limits: ReadLimits, of log: LogSource) {
    room = limits.textBytes(ofFile: log.reader.byteCount)
  }

  func flush() throws {
    let bytes = buffer
    buffer = []
    try room.reduce(by: bytes.count)
    if !bytes.isEmpty { try output(bytes) }
  }

  /// Prints a line to the standard error.
  func report(_ line: String) { errors(Array((line.shown(most: 2000) + "\n").utf8)) }

  /// Prints lines to the standard error, escaped, since they may quote the arguments.
  func explain(_ text: String) {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) { report(String(line)) }
  }
}

extension UInt64 {
  /// Reduces the bytes that an output may still take. Throws if there are too few.
  mutating func reduce(by count: Int) throws {
    guard self >= count else {
      throw ToolError(
        "the output is thousands of times larger than the log; raise the limit if you trust it: --limit-memory"
      )
    }
    self -= UInt64(count)
  }
}

/// Adds colours, if the output is a terminal that wants them.
struct Style {
  var isColoured = false

  func heading(_ text: String) -> String { wrap(text, "1") }
  func dim(_ text: String) -> String { wrap(text, "2") }
  func bad(_ text: String) -> String { wrap(text, "31") }
  func good(_ text: String) -> String { wrap(text, "32") }

  private func wrap(_ text: String, _ code: String) -> String {
    isColoured && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

extension String {
  /// The text, broken between words into lines of at most this many columns. A longer word gets a line of its
  /// own.
  func wrapped(to width: Int?) -> [String] {
    guard let width else { return [self] }
    var lines: [String] = []
    var line = ""
    for word in split(separator: " ", omittingEmptySubsequences: true) {
      if !line.isEmpty, line.columns + 1 + String(word).columns > width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " \(word)"
    }
    return line.isEmpty ? lines : lines + [line]
  }
}
