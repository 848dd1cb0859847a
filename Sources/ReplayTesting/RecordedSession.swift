import EventLog
import Foundation
import Projection
import Synchronization
import Testing

/// Runs `body` with a session that records; the log is kept if `body` throws or something that it expects fails.
///
///     @Test func aTapWakesItsRow() throws {
///       try withRecordedSession { session in
///         session.attach(store, as: "store")
///         session.projection("Row") { _ in draw(store.rows[0]) }
///         session.expectEvaluations(["Row": 1]) { tap() }
///       }
///     }
///
/// The path of a log that is kept, and the commands that show what happened, are printed on the standard error. The log
/// of a test that passes is removed. Every expectation of Swift Testing and of this module counts; XCTest's assertions do
/// not, so let `body` throw there: `try session.measure { tap() }.requireEvaluations(["Row": 1])`.
///
/// - Parameters:
///   - name: Part of the log's file name; the name of the test by default. The file is in the directory that the
///     environment variable `REPLAY_ARTIFACTS` names, which is made if it does not exist, else in the temporary directory.
///   - delivery: When the session runs what is out of date.
///   - clock: The clock by which the session waits.
///   - isolation: Where `body` runs.
///   - body: The test.
/// - Throws: What `body` throws; `LogError` when the log cannot be written.
public func withRecordedSession<R>(
  named name: String = #function, delivery: Delivery = .immediate,
  clock: some Clock<Duration> = ContinuousClock(),
  isolation: isolated (any Actor)? = #isolation, _ body: (Session) throws -> R
) throws -> R {
  let run = try RecordedRun(name: name)
  defer { run.end() }
  let session = try Session(recordingTo: run.url, delivery: delivery, clock: clock)
  let outcome = run.watch(session) { Result { try body(session) } }
  return try run.close(session, outcome)
}

/// Runs `body` with a session that records, as the other function of this name does for a body that does not wait.
public func withRecordedSession<R>(
  named name: String = #function, delivery: Delivery = .immediate,
  clock: some Clock<Duration> = ContinuousClock(),
  isolation: isolated (any Actor)? = #isolation, _ body: (Session) async throws -> R
) async throws -> R {
  let run = try RecordedRun(name: name)
  defer { run.end() }
  let session = try Session(recordingTo: run.url, delivery: delivery, clock: clock)
  let outcome: Result<R, any Error> = await run.watch(session) {
    do { return .success(try await body(session)) } catch { return .failure(error) }
  }
  return try run.close(session, outcome)
}

/// The recording of a test that is running.
final class RecordedRun: Sendable {
  /// The recording of the innermost test that is running in this task.
  @TaskLocal static var current: RecordedRun?

  let url: URL
  /// Whether the log stays whatever becomes of the test.
  private let isKept: Bool
  /// The recording that is driven, if one is.
  private let driving: URL?
  private let name: String
  private let failures = Mutex(Failures())

  private struct Failures {
    var hasFailed = false
    var projections: [String] = []
  }

  /// Chooses a file name that is not in use.
  ///
  /// - Parameters:
  ///   - path: Where the log is to be kept; nil for a name of its own.
  ///   - recording: The recording that is driven, if one is.
  init(
    name: String, keptAt path: String? = nil, driving recording: URL? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    self.name = name
    driving = recording
    isKept = path != nil
    if let path {
      url = URL(filePath: path)
      return
    }
    let tag = UUID().uuidString.prefix(8)
    let file = "\(Self.fileName(name))-\(tag).evlog"
    if let directory = environment["REPLAY_ARTIFACTS"], !directory.isEmpty {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      url = URL(filePath: directory, directoryHint: .isDirectory).appending(path: file)
    } else {
      url = FileManager.default.temporaryDirectory.appending(path: file)
    }
  }

  /// The name without characters that mean something to a shell or a file system.
  private static func fileName(_ name: String) -> String {
    let words = name.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "-" }
    return words.isEmpty ? "session" : String(words.joined(separator: "-").prefix(80))
  }

  /// Notes that an expectation failed, and for which projections.
  func noteFailure(of projections: [String] = []) {
    failures.withLock {
      $0.hasFailed = true
      for name in projections where !$0.projections.contains(name) { $0.projections.append(name) }
    }
  }

  /// Runs the body, and notes every issue that is recorded meanwhile.
  ///
  /// Swift Testing passes issues only to the matcher of `withKnownIssue`, which here notes each and never matches.
  func watch<R>(_ session: Session, _ body: () -> R) -> R {
    var result: R?
    Self.$current.withValue(self) {
      withKnownIssue(isIntermittent: true) {
        result = body()
      } when: {
        true
      } matching: { [self] issue in
        note(issue, in: session)
        return false
      }
    }
    guard let result else { preconditionFailure("withKnownIssue did not run its body") }
    return result
  }

  /// Runs the body, and notes every issue that is recorded meanwhile.
  fileprivate func watch<R>(
    _ session: Session, isolation: isolated (any Actor)? = #isolation, _ body: () async -> R
  ) async -> R {
    var result: R?
    await Self.$current.withValue(self) {
      await withKnownIssue(isIntermittent: true) {
        result = await body()
      } when: {
        true
      } matching: { [self] issue in
        note(issue, in: session)
        return false
      }
    }
    guard let result else { preconditionFailure("withKnownIssue did not run its body") }
    return result
  }

  /// Marks in the log where the run failed. The mark has no text of the issue, which may show redacted values.
  private func note(_ issue: Issue, in session: Session) {
    guard issue.isFailure else { return }
    noteFailure()
    let location = issue.sourceLocation
    session.mark("failed", fileID: location?.fileID ?? "test", line: location?.line ?? 0)
  }

  /// Completes the log, and returns or throws the outcome of the body.
  func close<R>(_ session: Session, _ outcome: Result<R, any Error>) throws -> R {
    if case .failure(let error) = outcome { noteFailure(of: (error as? UnmetExpectation)?.projections ?? []) }
    do { try session.close() } catch {
      noteFailure()
      // An error of the body takes precedence, and is thrown below.
      if case .success = outcome { throw error }
    }
    return try outcome.get()
  }

  /// Keeps the log of a test that failed, and prints where it is; removes that of any other.
  func end() {
    let failures = failures.withLock { $0 }
    if failures.hasFailed {
      Notice.print(notice(of: failures))
    } else if !isKept {
      try? FileManager.default.removeItem(at: url)
    }
  }

  private func notice(of failures: Failures) -> String {
    let log = url.path.quoted
    var lines = ["\(name) failed. See what was recorded:", "  replay cascades \(log)"]
    for name in failures.projections.prefix(3) { lines.append("  replay why \(log) \(name.quoted)") }
    if let driving { lines.append("  replay diff \(driving.path.quoted) \(log)") }
    if failures.projections.isEmpty { lines.append("  replay timeline \(log)") }
    return lines.joined(separator: "\n")
  }
}

/// Prints text that is not a result of a test: on the standard error, unless this task has another destination.
enum Notice {
  @TaskLocal static var destination: @Sendable (String) -> Void = { text in
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }

  fileprivate static func print(_ text: String) { destination(text) }
}

extension String {
  /// The text as one word of a shell.
  var quoted: String {
    let isPlain = allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+".contains($0)) }
    return isPlain ? self : "'" + replacing("'", with: #"'\''"#) + "'"
  }
}
