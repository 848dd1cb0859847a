/// The lines of an account of writes. Each write of a path is in exactly one: **the first of these, in this order, whose
/// sentence is true of it**.
///
/// The words are those of ``AccountLine``, and these:
///
/// - A write *invalidated* the projections for which it is one of the causes of an invalidation, and a run *answers* it if it
///   answers that invalidation.
/// - A write is *overwritten* at the next change of the same path, if that is a set or a removal. Writes that counted as no
///   change or are recorded as equal, or as another object of the same content, change nothing, and are not overwritten.
/// - Of each projection that a write invalidated, the next run of its life *counts*, unless the write was overwritten before:
///   then nobody saw what it wrote there.
/// - What comes more than 262,144 events after a write says nothing of it.
package enum WriteLine: String, Codable, Sendable, CaseIterable {
  /// One of the runs that count is needed.
  case needed = "write-needed"
  /// It counted as no change, and invalidated nobody.
  case sameValue = "write-same"
  /// It counted as a change, and is recorded as equal.
  case equalValue = "write-equal"
  /// It stored another object of the same content.
  case sameContent = "write-copy"
  /// It invalidated nobody. What is read later may need it, so it is not needless.
  case unread = "write-unread"
  /// There are runs that count, and all of them are needless.
  case idle = "write-idle"
  /// It was overwritten before any of the projections that it invalidated had run.
  case overwritten = "write-overwritten"
  /// All others: of one of the runs that count nothing can be told, or it does not answer the write, or there is none.
  case unknown = "write-unknown"

  /// What is said of the writes, after their number: `12 of the same value`.
  package var phrase: String {
    switch self {
    case .needed: "needed"
    case .sameValue: "of the same value"
    case .equalValue: "of an equal value"
    case .sameContent: "of another object of the same content"
    case .unread: "woke nobody"
    case .idle: "led to needless runs alone"
    case .overwritten: "overwritten before anybody ran"
    case .unknown: "cannot be told"
    }
  }

  /// Whether it is a reason for which writes were needless.
  package var isNeedless: Bool {
    switch self {
    case .needed, .unread, .unknown: false
    case .sameValue, .equalValue, .sameContent, .idle, .overwritten: true
    }
  }
}

/// What counts of a write when its line is sought.
struct AccountedWrite {
  /// What became of a projection that it invalidated.
  enum Outcome: Int {
    case needed, needless, unknown

    /// - Parameter line: That of the run; nil if there is none that answers it.
    init(_ line: AccountLine?) {
      self = line.map { $0.isNeedless ? .needless : $0 == .needed ? .needed : .unknown } ?? .unknown
    }
  }

  var kind: Answered
  var isSameValue: Bool
  /// Whether it invalidated anybody.
  var hasReaders = false
  /// The outcomes that there were, as bits.
  var outcomes: UInt8 = 0
  /// How many invalidations of it nobody has answered yet.
  var open: Int32 = 0
  /// The event that overwrote it; 0 for none.
  var overwritten: UInt64 = 0

  func has(_ outcome: Outcome) -> Bool { outcomes & 1 << outcome.rawValue != 0 }
}

extension WriteLine {
  /// The line of a write, once all that counts of it is known.
  init(_ write: AccountedWrite) { self = Self.allCases.first { $0.holds(for: write) } ?? .unknown }

  private func holds(for write: AccountedWrite) -> Bool {
    let isUnknown = write.has(.unknown) || write.open > 0 && write.overwritten == 0
    return switch self {
    case .needed: write.has(.needed)
    case .sameValue: write.isSameValue && !write.hasReaders
    case .equalValue: write.kind == .equalWrites
    case .sameContent: write.kind == .sameContent
    case .unread: !write.hasReaders
    case .idle: write.has(.needless) && !isUnknown
    case .overwritten: !isUnknown
    case .unknown: true
    }
  }
}
