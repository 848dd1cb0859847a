import Foundation
import Projection
import Synchronization

/// The recording of a test that is running.
final class RecordedRun: Sendable {
  /// The recording of the innermost test that is running in this task.
  @TaskLocal static var current: RecordedRun?

  let name: String
  let url: URL
  private let failures = Mutex(Failures())

  private struct Failures {
    var hasFailed = false
    var projections: [String] = []
  }

  /// Names a file that is not there yet.
  init(name: String, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
    self.name = name
    let tag = UUID().uuidString.prefix(8)
    let file = "\(Self.fileName(name))-\(tag).evlog"
    if let directory = environment["REPLAY_ARTIFACTS"], !directory.isEmpty {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      url = URL(filePath: directory, directoryHint: .isDirectory).appending(path: file)
    } else {
      url = FileManager.default.temporaryDirectory.appending(path: file)
    }
  }

  /// The name with nothing in it that a shell or a file system takes for something else.
  private static func fileName(_ name: String) -> String {
    let words = name.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "-" }
    return words.isEmpty ? "session" : String(words.joined(separator: "-").prefix(80))
  }

  /// Notes that something failed, and which projections it was about.
  func noteFailure(of projections: [String] = []) {
    failures.withLock {
      $0.hasFailed = true
      for name in projections where !$0.projections.contains(name) { $0.projections.append(name) }
    }
  }

  /// Keeps the log of a test that failed, and says where it is; removes that of any other.
  func end() {
    let failures = failures.withLock { $0 }
    if failures.hasFailed {
      Notice.print(notice(of: failures))
    } else {
      try? FileManager.default.removeItem(at: url)
    }
  }

  private func notice(of failures: Failures) -> String {
    let log = url.path.quoted
    var lines = ["\(name) failed. See what was recorded:", "  replay cascades \(log)"]
    for name in failures.projections.prefix(3) { lines.append("  replay why \(log) \(name.quoted)") }
    if failures.projections.isEmpty { lines.append("  replay timeline \(log)") }
    return lines.joined(separator: "\n")
  }
}

extension String {
  /// The text as one word of a shell.
  fileprivate var quoted: String {
    let isPlain = allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+".contains($0)) }
    return isPlain ? self : "'" + replacing("'", with: #"'\''"#) + "'"
  }
}
