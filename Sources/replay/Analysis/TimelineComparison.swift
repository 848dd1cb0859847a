/// The derived timeline beside the recorded one, unit by unit and in order within each.
struct TimelineComparison {
  typealias Entry = Verification.Entry
  private let derived: [UInt64: [Entry]]
  private let recorded: [UInt64: [Entry]]
  private var forgiven: UInt64?

  init(derived: [Entry], recorded: [Entry]) {
    self.derived = Dictionary(grouping: derived, by: \.seq)
    self.recorded = Dictionary(grouping: recorded, by: \.seq)
  }

  /// Lets the last unit end early, as in a log whose end is lost, and returns how many entries that are.
  mutating func forgiveLastUnit() -> Int {
    guard let last = derived.keys.max(), let all = derived[last] else { return 0 }
    let known = recorded[last] ?? []
    guard known.count < all.count, all.starts(with: known) else { return 0 }
    forgiven = last
    return all.count - known.count
  }

  /// How many entries agree.
  var matched: Int {
    derived.reduce(0) { sum, unit in sum + zip(unit.value, recorded[unit.key] ?? []).count { $0 == $1 } }
  }

  var findings: [Verification.Finding] {
    var findings: [Verification.Finding] = []
    for seq in Set(derived.keys).union(recorded.keys).sorted() where seq != forgiven {
      let a = derived[seq] ?? []
      let b = recorded[seq] ?? []
      if a == b { continue }
      // In another order, each is missing where the other has it.
      let common = zip(a, b).prefix { $0 == $1 }.count
      findings += a[common...].map { .unrecorded($0) }
      findings += b[common...].map { .underived($0) }
    }
    return findings
  }
}
