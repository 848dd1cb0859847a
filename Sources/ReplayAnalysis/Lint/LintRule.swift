/// The patterns that `lint` looks for.
package enum LintRule: String, CaseIterable, Codable, Sendable {
  case hotParent = "hot-parent"
  case mixedReads = "mixed-reads"
  case changedInput = "changed-input"
  case oneOfMany = "one-of-many"
  case aggregate
  case wholeCollection = "whole-collection"
  case followsWhole = "follows-whole"
  case excessReads = "excess-reads"
  case indexIdentity = "index-identity"
  case madeAnew = "made-anew"
  case burst
  case flood
  case wholesaleChange = "wholesale-change"
  case notEquatable = "not-equatable"
  case hiddenChange = "hidden-change"
  case replacedObject = "replaced-object"
  case sameValue = "same-value"
  case selfWake = "self-wake"
  case callbackChain = "callback-chain"
  case writeInBody = "write-in-body"
  case madeAgain = "made-again"
  case madeInBody = "made-in-body"
  case grows
  case hostRuns = "host-runs"
  case slowBody = "slow-body"
  case slowComparison = "slow-comparison"
  case staleAnswer = "stale-answer"
  case rivalWrites = "rival-writes"
  case idleAction = "idle-action"
  case outOfDate = "out-of-date"
  case unheld
  case readsNothing = "reads-nothing"
  case unread
  case neverRun = "never-run"
  case diagnostic

  /// The rules about what is wrong whatever it costs, in the order in which their findings come, before all others.
  package static let faults: [LintRule] = [
    .staleAnswer, .hiddenChange, .rivalWrites, .selfWake, .diagnostic, .idleAction, .writeInBody,
  ]

  /// A short description of the problem.
  package var summary: String {
    switch self {
    case .hotParent: "A parent reads what changes all the time, and its children run along for nothing."
    case .mixedReads:
      "A projection reads something fast beside something stable, and rebuilds both at each change."
    case .changedInput:
      "Children are handed something else each time that their parent runs, and draw the same."
    case .oneOfMany: "Many projections read one value, of which few show a difference."
    case .aggregate: "Many projections compute something of all elements of a collection, each for itself."
    case .followsWhole: "A projection follows whole objects or properties, and shows a part of them."
    case .indexIdentity: "An insertion or a removal runs all rows behind it, which are known by their place."
    case .madeAnew: "A projection makes its children again under other names, in place of those that it had."
    case .burst:
      "Writes of one action within a frame, without a transaction, run a projection again and again."
    case .notEquatable: "A value is set that equals the one before as recorded, and counts as a change."
    case .hiddenChange: "A value is set that differs from the one before as recorded, and counts as the same."
    case .replacedObject: "An object is replaced by another of the same content."
    case .callbackChain:
      "Callbacks or their tasks set what follows from other values, and a projection runs for both."
    case .writeInBody: "A projection writes while it runs."
    case .madeAgain: "Callbacks, or an app's own handlers, are made again and again and never cancelled."
    case .madeInBody: "A derived value or a callback is made once more in each run of a projection."
    case .grows: "The runs of a projection take longer and longer."
    case .hostRuns: "A host runs bodies that have read nothing that changed."
    case .staleAnswer: "The answer to an older action or write comes after that to a newer one, and stays."
    case .slowBody: "A body computes again and again what follows from something that did not change."
    case .slowComparison: "Comparing what is handed to children takes much of the time."
    case .rivalWrites: "Two callbacks set one path to different values because of one action."
    case .idleAction: "An action changes nothing, each time, or only what no projection reads."
    case .outOfDate: "A projection is out of date, and its host goes on drawing without it."
    case .unheld: "A projection reads an object to which nothing that is recorded leads any more."
    case .readsNothing: "A projection reads nothing that is recorded, and never runs again."
    case .unread: "What is written is read by no projection."
    case .neverRun: "A projection is invalidated again and again, and does not run."
    case .wholeCollection: "Many projections read a whole collection to show one element each."
    case .wholesaleChange: "A collection is replaced as a whole where a merge would touch few elements."
    case .sameValue: "A place is set to what it is, again and again."
    case .flood:
      "A path that a projection shows is set faster than the display draws, or so often that this takes its time."
    case .selfWake: "What callbacks, views or tasks write leads to the same write again, in a cycle."
    case .excessReads: "A projection reads more than it shows: most of what wakes it changes nothing of it."
    case .diagnostic: "The session reported a mistake in its use."
    }
  }

  /// A recommendation, where a finding has none of its own.
  package var advice: String {
    switch self {
    case .hotParent: "Read it in the small child that shows it, or hand the children inputs to be skipped by."
    case .mixedReads: "Read the fast one in a child of its own."
    case .changedInput: "Hand the children what they show, or a derived value of it."
    case .oneOfMany: "Let each read a derived value of what it shows, or a property of its own."
    case .aggregate: "Compute it once, in a derived value that all of them share."
    case .wholeCollection: "Hand each its own element, or follow elements."
    case .followsWhole: "Follow what it reads."
    case .excessReads: "Read a derived value of what it shows, which wakes it when that differs."
    case .indexIdentity: "Know the rows by the ids of their elements."
    case .madeAnew: "Give each one id that stays the same."
    case .burst: "Make the writes in one transaction."
    case .flood: "Throttle what comes in before it is set."
    case .wholesaleChange: "Merge what is new into what is there."
    case .notEquatable: "Conform the type to Equatable."
    case .hiddenChange: "Compare all that is shown."
    case .replacedObject: "Keep the object, and update what differs in it."
    case .sameValue: "Compare before setting."
    case .selfWake: "Write something else, or derive what follows."
    case .callbackChain: "Make what follows derived values."
    case .writeInBody: "Write it where the cause is, or derive it."
    case .madeAgain: "Cancel them when their owner leaves, or make them once."
    case .madeInBody: "Make it once, where its owner is made, and keep it."
    case .slowBody: "Compute what follows from that in a derived value."
    case .slowComparison: "Make the type Equatable, or hand in less."
    case .grows: "Find out what grows, and show a part of it, or compute what follows from it once."
    case .hostRuns: "Ask isCurrent before a run, and call skip() where it is."
    case .staleAnswer:
      "Cancel the older task, or see before the write that it still answers the latest question."
    case .rivalWrites: "Let one of them decide, or compute it of what both follow."
    case .idleAction: "See what the action should have changed."
    case .outOfDate:
      "Run what session.invalidatedHosted has, whatever it is handed: isCurrent(for:) is false for it."
    case .unheld: "Read it by way of what holds it, or end the view with it."
    case .readsNothing: "Nothing, if that never changes; else record what it shows."
    case .unread: "Mark it @ObservationIgnored if nothing is to follow it, or leave it out."
    case .neverRun: "Nothing, if it is off screen; else see who should run it."
    case .diagnostic: "Do as it says; session.diagnostics has it while the app runs."
    }
  }

  /// The condition for reporting it, in terms of the thresholds' names.
  package var condition: String {
    switch self {
    case .hotParent:
      "woken `count` times by a path that it reads; `fan-out` children along each time;"
        + " `wasted` per cent of their runs drew the same"
    case .mixedReads:
      "woken `count` times by a path that changed 10 times as often as another that it reads; a child along each time;"
        + " `wasted` per cent of their runs drew the same"
    case .changedInput: "as hot-parent or mixed-reads, and most of these runs had another input"
    case .oneOfMany:
      "a write to a path that they read wakes `fan-out` instances; `wasted` per cent of `count` runs drew the same"
    case .aggregate:
      "as whole-collection, and each instance began to read twice as many elements as `fan-out`"
    case .followsWhole:
      "`count` runs because of what it does not read, `wasted` per cent of which drew the same"
    case .indexIdentity:
      "three insertions or removals, each with `fan-out` runs of rows that were handed another input"
    case .madeAnew:
      "`count` in all, in three runs, each of all that live, having read the same; or for elements of which half or more got"
        + " other ids and no other content; or `count` one by one, each named by what was set of its element"
    case .burst:
      "three bursts of writes to several places, each of which ran it three times, each within 4 ms of the last; `count` runs more than one a burst, 40"
        + " per cent of all"
    case .notEquatable: "`count` such sets, `same-value` per cent of all changes, that woke a projection"
    case .hiddenChange: "one such set of what a projection reads"
    case .replacedObject:
      "half of `count` such sets, `same-value` per cent of all changes, that woke a projection"
    case .callbackChain:
      "`count` chains of causes in which a projection ran, and again for what a callback or its task wrote: at once, or"
        + " within a frame of 16 ms"
    case .writeInBody: "`count` writes in runs of a projection that is no callback"
    case .madeAgain:
      "half of `count` callbacks made one after another live, and one write wakes them all, or nothing leads to what they"
        + " follow any more, or they were made for what had been there before, and one burst of writes runs them all; or a path is set once more from one action to the next, in the end four times as often"
    case .madeInBody: "`count` times in runs of one projection, but its first"
    case .hostRuns:
      "ten times `count` such runs, `wasted` per cent of which drew the same"
    case .grows: "at least four times as long in the end, 1 ms or more, and longer all the time"
    case .staleAnswer:
      "one write of an action, or of a task that a callback started for a write, after that of a later action, or for a"
        + " later write of the same path, that stays"
    case .slowBody:
      "`count` runs for one path alone, most of which took 1 ms of its own, or half of that and 20 times as long as other runs;"
        + " it reads twice `fan-out` elements of another path, and makes a child for at most a quarter of them; a fifth of all"
        + " time"
    case .slowComparison:
      "in `count` runs a fifth of all time, and 4 ms in each, or 0.1 ms where a type has no =="
    case .rivalWrites: "three times, the second callback due before the first had written"
    case .idleAction:
      "all of `count` actions of one label: half of them set something, and all that they set was equal; a note, unless"
        + " it was an object that is not recorded"
    case .outOfDate:
      "out of date for `count` turns of its host, which skipped it meanwhile, or ran all others below the same parent; a note"
        + " where it may be off screen"
    case .unheld: "it has read that since before the last write"
    case .readsNothing: "at the top, without children, and ten times `count` sets changed something"
    case .unread: "ten times `count` sets that changed something, a fifth of all, and no projection reads it"
    case .neverRun: "invalidated `count` times, and no run but the first"
    case .wholeCollection:
      "a write to one element wakes `fan-out` instances; `wasted` per cent of them drew the same"
    case .wholesaleChange:
      "`count` elements replaced at once; `fan-out` runs after it, `wasted` per cent of which drew the same"
    case .sameValue: "`count` sets to an equal value, `same-value` per cent of all"
    case .flood:
      "`flood-rate` sets of one path in a second, that wake a projection which runs at least once for every four; more"
        + " than 120 a second, or their runs took more than a tenth of the time"
    case .selfWake:
      "woken by the same path `rounds` times in one chain of causes, by what it wrote at once; or twice `rounds` sets of one"
        + " path, still a second after what led to them, each within half a second because of the one before; or `count`, each"
        + " within 8 ms and to what it was"
    case .excessReads:
      "`count` runs because of one path that it reads, `wasted` per cent of which drew the same; or only handed"
        + " children another input"
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
    case floodRate = "flood_rate"
    case rounds
    case sameValue = "same_value"
  }

  /// The thresholds by their names on the command line.
  package static let names: KeyValuePairs<String, WritableKeyPath<LintThresholds, Int> & Sendable> = [
    "count": \.count, "fan-out": \.fanOut, "wasted": \.wasted, "flood-rate": \.floodRate, "rounds": \.rounds,
    "same-value": \.sameValue,
  ]

  /// The names of the thresholds in per cent.
  package static let shares: Set = ["wasted", "same-value"]

  /// Whether a part is at least this share, in per cent, of the whole.
  static func isShare(_ part: Int, of all: Int, atLeast percent: Int) -> Bool {
    all > 0 && 100 * part >= percent * all
  }
}
