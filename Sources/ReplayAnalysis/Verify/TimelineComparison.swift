import EventLog

/// The derived timeline of some cascade beside the recorded one, unit by unit and in order within each.
package struct TimelineComparison {
  /// An entry of the timeline, as far as a log records it.
  package struct Entry: Hashable, Sendable {
    package var seq: UInt64
    package var projection: String
    package var causes: [UInt64]

    package static func == (a: Entry, b: Entry) -> Bool {
      a.seq == b.seq && a.projection.hasSameBytes(as: b.projection) && a.causes == b.causes
    }
  }

  /// How many entries agree.
  private(set) var matched = 0
  /// Entries of a unit at the end that a log which was not closed never got.
  private(set) var lost = 0
  private(set) var findings: [Verification.Finding] = []

  /// Compares. The unit `lastUnit` may end early, as in a log whose end is lost.
  init(derived: [Entry], recorded: [Entry], forgiving lastUnit: UInt64?) {
    let derived = Dictionary(grouping: derived, by: \.seq)
    let recorded = Dictionary(grouping: recorded, by: \.seq)
    for seq in Set(derived.keys).union(recorded.keys).sorted() {
      let a = derived[seq] ?? []
      let b = recorded[seq] ?? []
      matched += zip(a, b).count { $0 == $1 }
      if a == b { continue }
      if seq == lastUnit, a.starts(with: b) {
        lost = a.count - b.count
        continue
      }
      // In another order, each is missing where the other has it.
      let common = zip(a, b).prefix { $0 == $1 }.count
      findings += a[common...].map { .unrecorded($0) }
      findings += b[common...].map { .underived($0) }
    }
  }
}
