import Projection
import Testing

extension RecordedRun {
  /// Runs the body, and takes notice of every issue that is recorded meanwhile.
  ///
  /// Swift Testing tells of issues only where it asks whether they are known; none is.
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

  /// Runs the body, and takes notice of every issue that is recorded meanwhile.
  func watch<R>(
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

  /// The log says where in the run it failed; not what, which may be something redacted.
  private func note(_ issue: Issue, in session: Session) {
    guard issue.isFailure else { return }
    noteFailure()
    let place = issue.sourceLocation
    session.mark("failed", fileID: place?.fileID ?? "test", line: place?.line ?? 0)
  }

  /// Completes the log, and hands over what the body returned or threw.
  func close<R>(_ session: Session, _ outcome: Result<R, any Error>) throws -> R {
    if case .failure(let error) = outcome { noteFailure(of: (error as? UnmetExpectation)?.projections ?? []) }
    do { try session.close() } catch {
      noteFailure()
      // What the body threw came first.
      if case .success = outcome { throw error }
    }
    return try outcome.get()
  }
}
