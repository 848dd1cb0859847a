/// The rules of `replay lint`, as its help lists them.
enum Rule: String, CaseIterable, Codable {
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
}

/// What may truly be said of an app, by its construction.
struct Truth {
  /// Something true: one of these rules, about one of these views, callbacks or paths. A rule of which this judge knows
  /// nothing may say it, too.
  struct Claim {
    /// The first one is the rule that was made for it.
    let rules: [Rule]
    var views: Set<String> = []
    var paths: Set<String> = []
    /// Whether what these rules advise is what the mended app does, so that it costs what they promise.
    var isMend = true
  }

  /// What leads a developer to the fault.
  var causes: [Claim] = []
  /// What is so because of the fault, and does not lead to it.
  var symptoms: [Claim] = []

  /// A finding is about the fault if its rule may lead to it and it names a view, a path or a site of it.
  static func cause(_ rules: [Rule], views: [String] = [], paths: [String] = []) -> Truth {
    Truth(causes: [Claim(rules: rules, views: Set(views), paths: Set(paths))])
  }

  /// The same for rules whose advice is another than the mend.
  func or(_ rules: [Rule], views: [String] = [], paths: [String] = []) -> Truth {
    var truth = self
    truth.causes.append(Claim(rules: rules, views: Set(views), paths: Set(paths), isMend: false))
    return truth
  }

  func symptom(_ rules: [Rule], views: [String] = [], paths: [String] = []) -> Truth {
    var truth = self
    truth.symptoms.append(Claim(rules: rules, views: Set(views), paths: Set(paths)))
    return truth
  }
}
