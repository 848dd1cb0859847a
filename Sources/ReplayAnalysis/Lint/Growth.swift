/// Whether the runs of a projection take longer and longer.
///
/// Runs are summed up by the power of two of their number, 1, 2 to 3, 4 to 7 and so on, so that a session of any length
/// takes a few sums, and what is slow at first does not count.
struct Growth {
  private struct Sum {
    var runs = 0
    var time: UInt64 = 0
    var shortest = UInt64.max

    /// In nanoseconds.
    var mean: Double { Double(time) / Double(max(1, runs)) }
  }

  private var sums: [Sum] = []
  private var count = 0

  /// Adds a run and its time in nanoseconds.
  mutating func add(_ time: UInt64) {
    count += 1
    let power = Int.bitWidth - 1 - count.leadingZeroBitCount
    if power == sums.count { sums.append(Sum()) }
    sums[power].runs += 1
    sums[power].time += time
    sums[power].shortest = min(sums[power].shortest, time)
  }

  /// The mean time of a run early on and in the end, in nanoseconds, if it has grown all the time, to at least four
  /// times; nil otherwise.
  ///
  /// The shortest runs must have grown too: what else the machine does makes some runs longer, and not all of them.
  var found: (early: Double, late: Double)? {
    // The last sum may hold a few runs only.
    let known = sums.filter { $0.runs >= Self.runsMin }
    guard known.count >= 4, let early = known.first, let late = known.last, late.mean >= 4 * early.mean,
      late.shortest / 2 >= early.shortest, zip(known, known.dropFirst()).allSatisfy({ $0.mean < $1.mean })
    else { return nil }
    return (early.mean, late.mean)
  }

  /// The mean time of the shortest runs, in nanoseconds: what each would take if nothing grew. One run alone may have had
  /// nothing to do.
  var least: Double { sums.filter { $0.runs > 1 }.map(\.mean).min() ?? 0 }

  private static let runsMin = 4
}
