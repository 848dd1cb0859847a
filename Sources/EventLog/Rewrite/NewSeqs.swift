/// New numbers of events by their old ones, which come in order, or nearly so.
///
/// Kept in runs in which both count up or the new one stays: a run takes 20 bytes however long it is, and an event that
/// has no new number takes none.
struct NewSeqs {
  private struct Run {
    var old: UInt64
    var new: UInt64
  }

  /// By the first event of each.
  private var runs: [Run] = []
  /// How many old numbers each run has; negative where all of them have one new number.
  private var counts: [Int32] = []

  /// The new number of an event, if it has one.
  subscript(old: UInt64) -> UInt64? {
    get {
      let next = firstRun(behind: old)
      guard next > 0 else { return nil }
      let run = runs[next - 1]
      let count = counts[next - 1]
      guard old - run.old < UInt64(count.magnitude) else { return nil }
      return count < 0 ? run.new : run.new + (old - run.old)
    }
    set { if let newValue { append(old, newValue) } }
  }

  private func firstRun(behind old: UInt64) -> Int {
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].old <= old { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private mutating func append(_ old: UInt64, _ new: UInt64) {
    if let last = runs.last, let count = counts.last, count.magnitude < UInt32(Int32.max),
      old == last.old + UInt64(count.magnitude)
    {
      if count > 0, new == last.new + UInt64(count) {
        counts[counts.count - 1] = count + 1
        return
      }
      if count < 0 || count == 1, new == last.new {
        counts[counts.count - 1] = -Int32(count.magnitude) - 1
        return
      }
    }
    // The beginning of a transaction is written when something in it is, and may come late.
    let place = (runs.last?.old ?? 0) < old ? runs.count : firstRun(behind: old)
    runs.insert(Run(old: old, new: new), at: place)
    counts.insert(1, at: place)
  }
}
