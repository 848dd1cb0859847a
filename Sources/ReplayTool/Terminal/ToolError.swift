import EventLog

/// Why a command cannot do what it was asked; one clear line, and exit status 2.
struct ToolError: Error, CustomStringConvertible {
  let description: String
  /// Whether it begins with a place in a file, as editors look for it.
  let isLocated: Bool
  /// Lines below the error that show what to write instead.
  private(set) var sample = ""

  init(_ description: String) {
    self.description = description
    isLocated = false
  }

  /// A folder, a pipe or a device that was given where a log is read; nil for any other error.
  init?(noFile error: LogError) {
    if Platform.isStream(error.path) {
      self = Self.isStream(error.path)
      return
    }
    guard Platform.isFolder(error.path) else { return nil }
    let folder = error.path.hasSuffix("/") ? error.path : "\(error.path)/"
    let log = Platform.neighbours(of: folder).first { $0.hasSuffix(".evlog") }
    self.init("\(error.path) is a folder, not a log" + (log.map { "; give one in it, as \($0)" } ?? ""))
  }

  /// A log is read from its end, and from wherever an event is.
  static func isStream(_ path: String) -> ToolError {
    ToolError("\(path): a log cannot be read from a pipe or a device; give a file")
  }

  /// A mistake in a file of lines.
  init(file: String, line: Int, column: Int, _ reason: String, sample: String = "") {
    description = "\(file):\(line):\(column): \(reason)"
    isLocated = true
    self.sample = sample
  }
}

/// How a command ended, as the shell sees it.
enum ToolStatus: Int32 {
  /// Done.
  case done = 0
  /// Done, and it found what it was asked to look for.
  case found = 1
  /// Bad usage, or input that cannot be read.
  case refused = 2
  /// Done, but part of a log is missing or damaged.
  case damaged = 3

  /// What to report when two things happened: what was found matters more than what was missing.
  func and(_ other: ToolStatus) -> ToolStatus {
    if self == .found || other == .found { return .found }
    return rawValue >= other.rawValue ? self : other
  }
}
