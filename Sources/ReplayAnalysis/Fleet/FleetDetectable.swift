import Foundation

/// How much more kinds would have to cost to be found: without it, that nothing got worse may mean that there are too few
/// sessions.
///
/// The minimum detectable effect of a comparison is `z_alpha + z_beta` standard errors: so far up, an increase is found by all but
/// `beta` of such sets of sessions, since chance takes more than `z_beta` errors from it in no more of them. `alpha` is what
/// Benjamini and Hochberg ask of one discovery among all comparisons, or the confidence if that asks for more. Errors are those
/// of the sessions at hand with the costs after multiplied, since what costs more also varies more.
package struct FleetDetectable: Codable, Sendable {
  /// The number of kinds that were compared, and cost something before and after.
  package private(set) var kinds: Int
  /// The ratio of costs after to those before that would be found for half of the kinds, or less; nil if that takes more than
  /// `ratioMax`.
  package private(set) var half: Double?
  /// The same for 9 in 10 of the kinds.
  package private(set) var nineOfTen: Double?

  /// How often such an increase is found, in per cent.
  private static let power = 95
  /// The quantile of the normal distribution for that.
  static let errors = 1.645
  private static let ratioMax = 64.0
  /// Of more kinds a part is tried.
  static let kindsMax = 500

  /// - Parameter ratios: That of each kind, infinite if there is none.
  init(_ ratios: [Double]) {
    kinds = ratios.count
    let sorted = ratios.sorted()
    func least(_ share: Double) -> Double? {
      let ratio = sorted.dropFirst(max(0, Int((share * Double(kinds)).rounded(.up)) - 1)).first
      return ratio.flatMap { $0.isFinite ? $0 : nil }
    }
    (half, nineOfTen) = (least(0.5), least(0.9))
  }

  /// The least ratio that is found, to half a percent; infinite if not even the highest is.
  static func least(_ isFound: (Double) -> Bool) -> Double {
    if !isFound(ratioMax) { return .infinity }
    var (low, high) = (0.0, log(ratioMax))
    for _ in 0..<10 {
      let middle = (low + high) / 2
      if isFound(exp(middle)) { high = middle } else { low = middle }
    }
    return exp(high)
  }

  /// What would have been found, as text.
  package var sentence: String {
    if kinds == 0 { return "no kind that costs anything is in enough sessions to be compared" }
    let (of, most) = (Units.count(kinds, "kind"), "not even \(Int(Self.ratioMax)) times")
    let power = "(\(Self.power) % power)"
    guard let half else { return "for half of \(of) \(most) the cost is enough to be found \(power)" }
    return "\(Self.times(half)) times the cost would have been found for half of \(of)"
      + (nineOfTen.map { ", \(Self.times($0)) times for 9 in 10" } ?? "; for 9 in 10 \(most) is enough")
      + " \(power)"
  }

  /// A ratio with two decimals, rounded up.
  private static func times(_ ratio: Double) -> String {
    let hundredths = Int((ratio * 100).rounded(.up))
    return "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10)"
  }

  enum CodingKeys: String, CodingKey {
    case kinds, half
    case nineOfTen = "nine_of_ten"
  }
}
