import Foundation
import Synchronization
import Testing

/// The issues that a body's expectations record, as known ones.
func failures(_ body: () throws -> Void) rethrows -> [Issue] {
  let issues = Mutex<[Issue]>([])
  try withKnownIssue(isIntermittent: true, body, when: { true }) { issue in
    issues.withLock { $0.append(issue) }
    return true
  }
  return issues.withLock { $0 }
}

/// The same for a body that waits.
func failures(isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void) async rethrows
  -> [Issue]
{
  let issues = Mutex<[Issue]>([])
  try await withKnownIssue(isIntermittent: true, body, when: { true }) { issue in
    issues.withLock { $0.append(issue) }
    return true
  }
  return issues.withLock { $0 }
}

extension [Issue] {
  /// The text of each issue.
  var texts: [String] { map { $0.comments.map(\.rawValue).joined(separator: "\n") } }
}
