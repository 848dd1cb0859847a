/// The patterns that `lint` looks for.
package enum LintRule: String, CaseIterable, Codable, Sendable {
  case hotParent = "hot-parent"
  case mixedReads = "mixed-reads"
  case wholeCollection = "whole-collection"
  case wholesaleChange = "wholesale-change"
  case sameValue = "same-value"
  case flood
  case equalDerived = "equal-derived"
  case selfWake = "self-wake"
  case excessReads = "excess-reads"
  case diagnostic

  /// A short description of the problem.
  package var summary: String {
    switch self {
    case .hotParent: "A parent reads what changes all the time, and its children run along for nothing."
    case .mixedReads:
      "A projection reads something fast beside something stable, and rebuilds both at each change."
    case .wholeCollection: "Many projections read a whole collection to show one element each."
    case .wholesaleChange: "A collection is replaced as a whole where a merge would touch few elements."
    case .sameValue: "A place is set to what it is, again and again."
    case .flood: "A path that a projection shows is set more often than a person can see."
    case .equalDerived: "A derived value is computed again and again, to an equal result."
    case .selfWake: "A callback writes what wakes it again."
    case .excessReads: "A projection reads more than it shows: most of what wakes it changes nothing of it."
    case .diagnostic: "The session reported a mistake in its use."
    }
  }

  /// A recommendation.
  package var advice: String {
    switch self {
    case .hotParent: "Read it in the small child that shows it, or hand the children inputs to be skipped by."
    case .mixedReads: "Read the fast one in a child of its own."
    case .wholeCollection:
      "Hand each its own element, or keep the elements in a RecordedArray that is tracked by element."
    case .wholesaleChange:
      "Merge what is new into what is there, or hand the elements' views their values as input."
    case .sameValue: "Compare before setting."
    case .flood: "Throttle what comes in before it is set."
    case .equalDerived: "Let it read less, or split off what changes without mattering."
    case .selfWake: "Write something else, or write only if it differs."
    case .excessReads:
      "Read only what it shows, or read a derived value of it, which wakes it when the result differs."
    case .diagnostic: "Do as it says; session.diagnostics has it while the app runs."
    }
  }

  /// The condition for reporting it, in terms of the thresholds' names.
  package var condition: String {
    switch self {
    case .hotParent:
      "woken `count` times, `hot-rate` a second for a second or 100 times in all; `fan-out` children along each time;"
        + " `wasted` per cent of their runs drew the same"
    case .mixedReads:
      "woken `count` times by a path that changed 10 times as often as another that it reads; a child along each time;"
        + " `wasted` per cent of their runs drew the same"
    case .wholeCollection:
      "a write to one element wakes `fan-out` instances; `wasted` per cent of them drew the same"
    case .wholesaleChange:
      "`count` elements replaced at once; `fan-out` runs after it, `wasted` per cent of which drew the same"
    case .sameValue: "`count` sets to an equal value, `same-value` per cent of all"
    case .flood:
      "`flood-rate` sets of one path in a second, that wake a projection which runs at least once for every four"
    case .equalDerived: "`count` runs, `wasted` per cent with an equal result"
    case .selfWake: "woken by the same path `rounds` times in one chain of causes"
    case .excessReads:
      "`count` runs because of what it reads, `wasted` per cent of which drew the same, and no other rule names it"
    case .diagnostic: "the log has a mark with a diagnostic of the session"
    }
  }
}

/// The limits from which on a pattern is reported.
package struct LintThresholds: Codable, Sendable {
  /// How often it must have happened.
  var count = 10
  /// How many projections must have been invalidated, or have run along, each time.
  var fanOut = 10
  /// The least share of wasted work, in per cent.
  var wasted = 80
  /// The number of sets per second that counts as fast.
  var hotRate = 10
  /// The number of sets per second that counts as a flood.
  var floodRate = 40
  /// How often in a row a projection must have invalidated itself.
  var rounds = 3
  /// The least share of sets that change nothing, in per cent.
  var sameValue = 50

  package init() {}

  enum CodingKeys: String, CodingKey {
    case count
    case fanOut = "fan_out"
    case wasted
    case hotRate = "hot_rate"
    case floodRate = "flood_rate"
    case rounds
    case sameValue = "same_value"
  }

  /// The thresholds by their names on the command line.
  package static let names: KeyValuePairs<String, WritableKeyPath<LintThresholds, Int> & Sendable> = [
    "count": \.count, "fan-out": \.fanOut, "wasted": \.wasted, "hot-rate": \.hotRate,
    "flood-rate": \.floodRate,
    "rounds": \.rounds, "same-value": \.sameValue,
  ]

  /// The names of the thresholds in per cent.
  package static let shares: Set = ["wasted", "same-value"]

  /// Whether a part is at least this share, in per cent, of the whole.
  static func isShare(_ part: Int, of all: Int, atLeast percent: Int) -> Bool {
    all > 0 && part.multipliedReportingOverflow(by: 100).partialValue >= percent * all
  }
}
