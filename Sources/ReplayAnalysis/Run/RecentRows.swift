import EventLog

/// What the latest quarter of a million events of a run were, in numbers.
struct RecentRows {
  struct Entry {
    var seq: UInt64 = 0
    /// 0 where there is none.
    var cause: UInt64 = 0
    /// The path that it writes, or the projection that it is about; -1 where there is neither.
    var subject: Int32 = -1
    var kind = EventLog.Row.Kind.end

    /// The path that it writes.
    var path: Int? { kind.isWrite ? Int(subject) : nil }
  }

  /// By the last bits of the seq.
  private var entries: [Entry] = []
  private static let entriesMax: UInt64 = 1 << 18

  @inline(__always)
  mutating func note(_ row: borrowing EventLog.Row, subject: Int) {
    let slot = Int(truncatingIfNeeded: row.seq & (Self.entriesMax - 1))
    if slot >= entries.count { grow(beyond: slot) }
    entries[slot] = Entry(
      seq: row.seq, cause: row.cause, subject: Int32(truncatingIfNeeded: subject), kind: row.kind)
  }

  /// An event, unless it was longer ago.
  @inline(__always)
  subscript(seq: UInt64) -> Entry? {
    let slot = Int(truncatingIfNeeded: seq & (Self.entriesMax - 1))
    guard slot < entries.count, entries[slot].seq == seq else { return nil }
    return entries[slot]
  }

  /// Forgets everything: the numbers of paths will stand for others.
  mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

  private mutating func grow(beyond slot: Int) {
    let count = min(max(2 * entries.count, slot + 1), Int(Self.entriesMax))
    entries.append(contentsOf: repeatElement(Entry(), count: count - entries.count))
  }
}

extension EventLog.Row.Kind {
  /// Whether the event writes a place.
  var isWrite: Bool { self == .set || self == .splice || self == .remove }
}
