import EventLog
import Projection

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
/// Where the log is, and the commands that show what happened, is told on the standard error. The log of a test that
/// passes is removed. Every expectation of Swift Testing and of this module counts; of XCTest's assertions none does, so
/// let `body` throw there: `try session.measure { tap() }.requireEvaluations(["Row": 1])`.
///
/// - Parameters:
///   - name: Part of the log's file name; the name of the test by default. The file lies in the directory that the
///     environment variable `REPLAY_ARTIFACTS` names, which is made if need be, else in the temporary directory.
///   - delivery: When what is out of date runs.
///   - clock: What the session waits by.
/// - Throws: What `body` throws; ``LogError`` when the log cannot be written.
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
