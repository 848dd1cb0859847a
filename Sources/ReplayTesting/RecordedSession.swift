import EventLog
import Foundation
import Projection
import Synchronization
import Testing

/// Runs `body` with a session that records. The log is kept if `body` throws or an expectation in it fails.
///
///     @Test func aTapWakesItsRow() throws {
///       try withRecordedSession { session in
///         session.attach(store, as: "store")
///         session.projection("Row") { _ in draw(store.rows[0]) }
///         session.expectEvaluations(["Row": 1]) { tap() }
///       }
///     }
///
/// The path of a log that is kept, and commands that show what happened, are printed on the standard error.
/// The log of a test that passes is removed. All expectations of Swift Testing and of this module count.
/// XCTest's assertions do not count, so let `body` throw there: `try session.measure { tap()
/// }.requireEvaluations(["Row": 1])`.
///
/// - Parameters:
///   - name: Part of the log's file name; by default the name of the test. The file is in the directory that
///     the environment variable `REPLAY_ARTIFACTS` names, which is created if needed, otherwise in the
///     temporary directory.
///   - delivery: When the session runs what is out of date.
///   - clock: The clock for the session's delays.
///   - isolation: The isolation of `body`.
///   - body: The test.
/// - Throws: The error of `body`; `LogError` if the log cannot be written.
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

/// Runs an asynchronous `body` with a session that records, as the synchronous function of this name does.
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
  /// Whether the log is kept regardless of the outcome of the test.
  private let isKept: Bool
  /// The recording that is driven, if any.
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
  ///   - path: The path at which to keep the log; nil to choose a name.
  ///   - recording: The recording that is driven, if any.
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

  /// The name without characters that have a meaning in a shell or a file system.
  private static func fileName(_ name: String) -> String {
    let words = name.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "-" }
    return words.isEmpty ? "session" : String(words.joined(separator: "-").prefix(80))
  }

  /// Records that an expectation failed, and for which projections.
  func markFailure(of projections: [String] = []) {
    failures.withLock {
      $0.hasFailed = true
      for name in projections where !$0.projections.contains(name) { $0.projections.append(name) }
    }
  }

  /// Runs the body, and records every issue of that time.
  ///
  /// Swift Testing passes issues only to the matcher of `withKnownIssue`; the matcher here records each issue
  /// and never matches.
  func watch<R>(_ session: Session, _ body: () -> R) -> R {
    var result: R?
    Self.$current.withValue(self) {
      withKnownIssue(isIntermittent: true) {
        result = body()
      } when: {
        true
      } matching: { [self] issue in
        append(issue, in: session)
        return false
      }
    }
    guard let result else { preconditionFailure("withKnownIssue did not run its body") }
    return result
  }

  /// Runs the body, and records every issue of that time.
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
        append(issue, in: session)
        return false
      }
    }
    guard let result else { preconditionFailure("withKnownIssue did not run its body") }
    return result
  }

  /// Adds a mark to the log at the failure. The mark does not contain the text of the issue, which may reveal
  /// redacted values.
  private func append(_ issue: Issue, in session: Session) {
    guard issue.isFailure else { return }
    markFailure()
    let location = issue.sourceLocation
    session.mark("failed", fileID: location?.fileID ?? "test", line: location?.line ?? 0)
  }

  /// Completes the log, and returns or throws the result of the body.
  func close<R>(_ session: Session, _ outcome: Result<R, any Error>) throws -> R {
    if case .failure(let error) = outcome { markFailure(of: (error as? UnmetExpectation)?.projections ?? []) }
    do { try session.close() } catch {
      markFailure()
      // An error of the body takes precedence, and is thrown below.
      if case .success = outcome { throw error }
    }
    return try outcome.get()
  }

  /// Keeps the log of a test that failed, and prints its path; otherwise removes the log.
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

/// Prints text that is not a result of a test: on the standard error, unless this task has set another
/// destination.
enum Notice {
  @TaskLocal static var destination: @Sendable (String) -> Void = { text in
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }

  fileprivate static func print(_ text: String) { destination(text) }
}

extension String {
  /// The text quoted as one word of a shell.
  var quoted: String {
    let isPlain = allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+".contains($0)) }
    return isPlain ? self : "'" + replacing("'", with: #"'\''"#) + "'"
  }
}
