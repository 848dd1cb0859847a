import Foundation

/// The reader of logs in Python, next to this file. It was written from FORMAT.md alone, so that anything
/// that the text leaves undefined shows as a difference.
public enum PythonReader {
  /// The reason why a test that needs it is skipped.
  public static let isMissing =
    "Python's zstandard is not here: make test-python installs it"

  /// The Python of the environment that `make test-python` makes, or else the one of the machine.
  private static let interpreter: String = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
      .standardizedFileURL
    let own = root.appending(path: ".build/test-python/bin/python3").path
    return FileManager.default.isExecutableFile(atPath: own) ? own : "python3"
  }()

  /// Whether it can run here.
  public static let isAvailable: Bool =
    (try? run(["-c", "import zstandard"])).map { $0.status == 0 } ?? false

  /// Whether there is a Python at all, for scripts that need no package.
  public static let hasPython: Bool = (try? run(["-c", ""])).map { $0.status == 0 } ?? false

  /// Runs another script, and returns its status and output.
  public static func runScript(
    _ script: String, _ arguments: [String]
  ) throws -> (status: Int32, output: String, errors: String) {
    try run(["-B", script] + arguments)
  }

  /// Runs code that may import the reader's modules, and returns what it printed. Needs no package.
  public static func evaluate(_ code: String) throws -> String {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().path
    let (status, output, errors) = try run([
      "-B", "-c", "import sys; sys.path.insert(0, \"\(folder)\")\n" + code,
    ])
    return status == 0 ? output : errors
  }

  /// The reader's results for some logs.
  public struct Answer {
    /// The highest status of any log.
    public var status: Int32
    /// The lines of each log, in the order the logs were given.
    public var lines: [[Substring]]
    /// Its output on the standard error.
    public var errors: String
  }

  /// Reads logs, all in one process, which takes a tenth of a second to start.
  ///
  /// Without state, `same_value` is printed only if it is true; this is for events that fit no state.
  public static func read(_ paths: [String], withState: Bool = true) throws -> Answer {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "evlog.py").path
    // A second mention of the first log makes sure that there are separators.
    let (status, output, errors) = try run(
      ["-B", script] + (withState ? [] : ["--without-state"]) + paths + paths.prefix(1))
    var lines: [[Substring]] = []
    for line in output.split(separator: "\n") {
      if line.hasPrefix("==> ") { lines.append([]) } else { lines[lines.count - 1].append(line) }
    }
    return Answer(status: status, lines: lines.dropLast(), errors: errors)
  }

  private static func run(
    _ arguments: [String]
  ) throws -> (status: Int32, output: String, errors: String) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "python-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Files and not pipes: neither stream can block the other.
    let streams = try ["output", "errors"].map { name in
      let file = folder.appending(path: name)
      try Data().write(to: file)
      return (file, try FileHandle(forWritingTo: file))
    }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [interpreter] + arguments
    process.standardOutput = streams[0].1
    process.standardError = streams[1].1
    try process.run()
    process.waitUntilExit()
    let texts = try streams.map { String(decoding: try Data(contentsOf: $0.0), as: UTF8.self) }
    return (process.terminationStatus, texts[0], texts[1])
  }
}
