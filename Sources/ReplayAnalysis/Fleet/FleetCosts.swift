import Foundation

/// What something cost in the sessions of one stratum: how many sessions, by cost. Sessions that did not have it cost 0, and
/// are not in here.
///
/// Sums are exact; only where sessions are divided by cost, the bounds lie within 6 % of the wanted ones. So memory grows
/// with how different the costs are, and not with the number of sessions.
struct FleetCosts: Sendable {
  /// The sessions of a bucket: their number, and sums of powers of their weights and weighted costs.
  struct Moments: Sendable {
    var count = 0
    var w = 0.0
    var ww = 0.0
    var wx = 0.0
    var wwx = 0.0
    var wwxx = 0.0
    /// Sums of the third powers of weights, times costs to the powers from 0 to 3.
    var cubes = SIMD4<Double>.zero

    /// Adds sessions as if each cost so many times as much.
    mutating func add(_ other: Moments, times factor: Double) {
      count += other.count
      w += other.w
      ww += other.ww
      wx += factor * other.wx
      wwx += factor * other.wwx
      wwxx += factor * factor * other.wwxx
      cubes += other.cubes * SIMD4(1, factor, factor * factor, factor * factor * factor)
    }
  }

  private(set) var buckets: [UInt16: Moments] = [:]
  private(set) var count = 0

  mutating func add(_ cost: Double, weight: Double) {
    let (wx, index) = (weight * cost, Self.bucket(of: cost))
    var moments = buckets[index] ?? Moments()
    moments.count += 1
    moments.w += weight
    moments.ww += weight * weight
    moments.wx += wx
    moments.wwx += weight * wx
    moments.wwxx += wx * wx
    moments.cubes += weight * weight * weight * SIMD4(1, cost, cost * cost, cost * cost * cost)
    buckets[index] = moments
    count += 1
  }

  /// The same sessions, if each cost so many times as much.
  func multiplied(by factor: Double) -> FleetCosts {
    var costs = FleetCosts()
    for (_, moments) in buckets.sorted(by: { $0.key < $1.key }) {
      let index = Self.bucket(of: factor * moments.wx / max(moments.w, .leastNonzeroMagnitude))
      costs.buckets[index, default: Moments()].add(moments, times: factor)
    }
    costs.count = count
    return costs
  }

  /// A quarter of the buckets of durations, each four times as wide.
  static func bucket(of cost: Double) -> UInt16 {
    DurationHistogram.bucket(of: UInt64(min(max(0, cost), 9e18))) >> 2
  }

  /// The highest cost of a bucket.
  static func bound(of bucket: UInt16) -> Double {
    Double(DurationHistogram.durations(of: bucket << 2 | 3).upperBound)
  }

  /// The cost that no more than this share of the sessions of either side exceed: those that did have it. Higher ones count
  /// as it, since one session in a thousand, which was suspended for a minute, must not decide what an average session
  /// costs.
  static func cut(_ a: FleetCosts?, _ b: FleetCosts?, share: Double) -> UInt16 {
    var counts: [UInt16: Int] = [:]
    for costs in [a, b] {
      for (bucket, moments) in costs?.buckets ?? [:] { counts[bucket, default: 0] += moments.count }
    }
    let most = Int(share * Double((a?.count ?? 0) + (b?.count ?? 0)))
    var above = 0
    for (bucket, count) in counts.sorted(by: { $0.key > $1.key }) {
      above += count
      if above > most { return bucket }
    }
    return 0
  }
}

/// The sessions of one stratum on one side.
struct FleetSide: Sendable {
  var count = 0
  var w = 0.0
  var ww = 0.0
  var www = 0.0

  mutating func add(weight: Double) {
    count += 1
    w += weight
    ww += weight * weight
    www += weight * weight * weight
  }
}

/// The costs of a stratum on one side, with those above a bound taken for it: sums over its sessions, of which those that
/// have nothing count as 0.
struct FleetSums {
  let side: FleetSide
  private var wx = 0.0
  private var wwx = 0.0
  private var wwxx = 0.0
  private var cubes = SIMD4<Double>.zero

  /// - Parameter cut: The last bucket whose costs are not cut.
  init(of costs: FleetCosts?, in side: FleetSide, cut: UInt16) {
    self.side = side
    let bound = FleetCosts.bound(of: cut)
    // In the order of the buckets, so that rounding is the same each time.
    for (bucket, moments) in (costs?.buckets ?? [:]).sorted(by: { $0.key < $1.key }) {
      if bucket <= cut {
        wx += moments.wx
        wwx += moments.wwx
        wwxx += moments.wwxx
        cubes += moments.cubes
      } else {
        wx += bound * moments.w
        wwx += bound * moments.ww
        wwxx += bound * bound * moments.ww
        cubes += moments.cubes[0] * SIMD4(1, bound, bound * bound, bound * bound * bound)
      }
    }
    cubes[0] = side.www
  }

  /// The weighted mean.
  var mean: Double { side.w > 0 ? wx / side.w : 0 }

  /// The number of sessions of equal weight that would tell as much.
  var effective: Double { side.ww > 0 ? side.w * side.w / side.ww : 0 }

  /// The sum of squares of weighted distances from a value.
  func squares(from value: Double) -> Double { max(0, wwxx - 2 * value * wwx + value * value * side.ww) }

  /// The sum of their third powers.
  func cubes(from value: Double) -> Double {
    cubes[3] - 3 * value * cubes[2] + 3 * value * value * cubes[1] - value * value * value * cubes[0]
  }
}

/// Student's distribution, by way of the normal one.
enum FleetStudent {
  /// The probability that chance alone moves a mean so many standard errors up or down.
  ///
  /// - Parameter skewness: That of the mean, in the direction in which it moved.
  static func probability(_ t: Double, freedom: Double, skewness: Double = 0) -> Double {
    let (z, skewness) = (normal(t, freedom), min(max(0, skewness), 1))
    // The first term of Cornish and Fisher's expansion, where it makes the move more probable. Beyond 3 / skewness it would
    // make a larger move the more probable one, so there it is as at 3 / skewness.
    let known = skewness > 0 ? min(z, 3 / skewness) : z
    let corrected = z - skewness * max(0, known * known - 1) / 6
    return erfc(max(0, corrected) / 2.0.squareRoot())
  }

  /// The normal deviate as probable as this one of Student's (Wallace's approximation).
  private static func normal(_ t: Double, _ freedom: Double) -> Double {
    let scale = (8 * freedom + 1) / (8 * freedom + 3)
    return scale * (freedom * log1p(t * t / freedom)).squareRoot()
  }

  /// The number of standard errors within which a mean lies with this probability.
  static func quantile(_ confidence: Double, freedom: Double) -> Double {
    var (low, high) = (0.0, 1e6)
    for _ in 0..<100 {
      let middle = (low + high) / 2
      if probability(middle, freedom: freedom) > 1 - confidence { low = middle } else { high = middle }
    }
    return high
  }
}

/// How much more something costs on one side than on the other, if both had the same mix of strata: in each stratum by
/// itself, added up with the weights that the strata have on both sides together.
struct FleetContrast {
  private(set) var before = 0.0
  private(set) var after = 0.0
  private var variance = 0.0
  /// Of the difference, to its third power.
  private var skewness = 0.0
  /// Of the sum of variances, for Welch's degrees of freedom.
  private var squares = 0.0

  /// - Parameter weight: The share of the stratum in all of both sides.
  mutating func add(_ a: FleetSums, _ b: FleetSums, weight: Double) {
    before += weight * a.mean
    after += weight * b.mean
    guard a.side.w > 0, b.side.w > 0 else { return }
    // A few sessions of which none costs much by chance have a low mean and a low variance, which would make that mean
    // seem certain. So a side varies at least as both do together.
    let together = (a.mean * a.side.w + b.mean * b.side.w) / (a.side.w + b.side.w)
    let (ww, www) = (a.side.ww + b.side.ww, a.side.www + b.side.www)
    let spread = (a.squares(from: together) + b.squares(from: together)) / ww
    let skew = (a.cubes(from: together) + b.cubes(from: together)) / www
    for (sums, sign) in [(a, -1.0), (b, 1.0)] {
      let (w, side) = (sums.side.w, sums.side)
      let own = sums.squares(from: sums.mean) / side.ww
      let part =
        weight * weight * max(own, spread) * side.ww / (w * w) * sums.effective / max(1, sums.effective - 1)
      variance += part
      squares += part * part / max(1, sums.effective - 1)
      skewness += sign * weight * weight * weight * skew * side.www / (w * w * w)
    }
  }

  var difference: Double { after - before }

  private var freedom: Double { squares > 0 ? max(1, variance * variance / squares) : 1e9 }

  /// The probability that chance alone makes such a difference.
  var probability: Double {
    if variance <= 0 { return difference == 0 ? 1 : 0 }
    let error = variance.squareRoot()
    let skewness = skewness / (variance * error)
    return FleetStudent.probability(
      abs(difference) / error, freedom: freedom, skewness: difference > 0 ? skewness : -skewness)
  }

  /// The same, with a difference that is lower by so many standard errors.
  func lowered(by errors: Double) -> FleetContrast {
    var lowered = self
    lowered.after -= errors * max(0, variance).squareRoot()
    return lowered
  }

  /// Between which differences the true one lies, with this confidence.
  func interval(_ confidence: Double) -> (low: Double, high: Double) {
    let margin = FleetStudent.quantile(confidence, freedom: freedom) * max(0, variance).squareRoot()
    return (difference - margin, difference + margin)
  }
}

/// Benjamini and Hochberg's procedure: which of many comparisons are differences, so that at most a share of those that are
/// listed are chance.
enum FleetDiscovery {
  /// The highest probability that counts; nil if none does.
  static func bound(_ probabilities: [Double], share: Double) -> Double? {
    let sorted = probabilities.sorted()
    let count = Double(sorted.count)
    return sorted.enumerated().last { $0.element <= share * Double($0.offset + 1) / count }?.element
  }
}
