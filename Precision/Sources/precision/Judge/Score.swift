/// What came of all plans.
struct Score: Codable {
  /// What a rule said, of faulty and of healthy apps.
  struct OfRule: Codable {
    let rule: String
    var said = 0
    var causes = 0
    var symptoms = 0
  }

  /// What came of the plans with one kind of fault. Of inert ones only `made` and `inert` tell.
  struct OfFault: Codable {
    let kind: String
    var made = 0
    var inert = 0
    var led = 0
    var named = 0
    var misled = 0
    var silent = 0
    /// The silent ones among which the mend saves little.
    var silentSlight = 0
    /// The misled and silent ones to whose fault a note leads.
    var noted = 0
    var priced = 0
    var runsRight = 0
    var timeRight = 0
  }

  struct OfHealthy: Codable {
    let kind: String
    var made = 0
    var silent = 0
  }

  var rules: [OfRule] = []
  var faults: [OfFault] = []
  var healthy: [OfHealthy] = []
  var mended = OfHealthy(kind: "mended")
  var countedOtherwise = 0
  var troubles = 0

  init(_ verdicts: [Verdict]) {
    let judged = verdicts.filter { $0.trouble == nil }
    troubles = verdicts.count - judged.count
    rules = Rule.allCases.map(\.rawValue).map { Self.score(rule: $0, judged) }
    rules += Self.unknownRules(judged).map { Self.score(rule: $0, judged) }
    faults = Fault.allCases.map { fault in Self.score(fault, judged.filter { $0.kind == fault.rawValue }) }
    healthy = Healthy.allCases.map { kind in
      Self.score(kind.rawValue, judged.filter { $0.kind == kind.rawValue })
    }
    for verdict in judged where verdict.isFault {
      mended.made += 1
      if verdict.saidOfMended.isEmpty { mended.silent += 1 }
    }
    countedOtherwise = judged.count { $0.countsOtherwise }
  }

  var said: Int { rules.reduce(0) { $0 + $1.said } }
  var right: Int { rules.reduce(0) { $0 + $1.causes + $1.symptoms } }

  private static func score(rule: String, _ verdicts: [Verdict]) -> OfRule {
    var score = OfRule(rule: rule)
    for said in verdicts.flatMap(\.said) where said.rule == rule {
      score.said += 1
      if said.judgement == .cause { score.causes += 1 }
      if said.judgement == .symptom { score.symptoms += 1 }
    }
    return score
  }

  /// Rules that the tool has and this judge does not know, in order.
  private static func unknownRules(_ verdicts: [Verdict]) -> [String] {
    Set(verdicts.flatMap(\.said).map(\.rule)).filter { Rule(rawValue: $0) == nil }.sorted()
  }

  private static func score(_ fault: Fault, _ verdicts: [Verdict]) -> OfFault {
    var score = OfFault(kind: fault.rawValue, made: verdicts.count, inert: verdicts.count { $0.isInert })
    for verdict in verdicts where !verdict.isInert {
      if verdict.isLed { score.led += 1 }
      if verdict.hasCause { score.named += 1 }
      if verdict.isMisled { score.misled += 1 }
      if verdict.isSilent { score.silent += 1 }
      if verdict.isSilent, verdict.isSlight { score.silentSlight += 1 }
      if verdict.isNoted { score.noted += 1 }
      guard let isRight = verdict.isPriceRight else { continue }
      score.priced += 1
      if isRight.runs { score.runsRight += 1 }
      if isRight.time { score.timeRight += 1 }
    }
    return score
  }

  private static func score(_ kind: String, _ verdicts: [Verdict]) -> OfHealthy {
    OfHealthy(kind: kind, made: verdicts.count, silent: verdicts.count { $0.isSilent })
  }
}
