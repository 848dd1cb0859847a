import EventLog

/// What an earlier event of a run was, in numbers.
struct RecentRow {
  /// 0 where there is none.
  let cause: UInt64
  /// The path that it writes, or the projection that it is about.
  private let subject: Int32?
  let kind: EventKind

  init(cause: UInt64, subject: Int?, kind: EventKind) {
    self.cause = cause
    self.subject = subject.map { Int32(truncatingIfNeeded: $0) }
    self.kind = kind
  }

  /// The path that it writes.
  var path: Int? { kind.isWrite ? subject.map { Int($0) } : nil }

  /// The projection that it is about.
  var projection: Int? { kind.isWrite ? nil : subject.map { Int($0) } }
}
