/// What came of all plans.
struct Score: Codable {
  /// What a rule said, of faulty and of healthy apps.
  struct OfRule: Codable {
    let rule: String
    var said = 0
    var causes = 0
    var symptoms = 0
    /// The faults for which it was made, and of which nothing was said that leads to them.
    var missed = 0
    /// The faults to which it led first and that cost something, and of these those with a price, and a right one.
    var costly = 0
    var priced = 0
    var pricedRight = 0
    /// What it said as a note, and what of that leads to a fault or is so because of it.
    var notes = 0
    var trueNotes = 0
    /// What it said of mended apps.
    var saidOfMended = 0

    var right: Int { causes + symptoms }
    var isKnown: Bool { Rule(rawValue: rule) != nil }
    /// Whether it is wrong too often for a finding. Of few findings nobody can tell.
    var shouldBeNote: Bool { said >= 5 && right * 100 < said * 80 }
  }

  /// What came of the plans of a kind or a form with a fault. Of inert ones only `made` and `inert` tell.
  struct OfFaults: Codable {
    let name: String
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
    var costly = 0
    var pricedRight = 0

    var judged: Int { made - inert }
  }

  struct OfHealthy: Codable {
    let name: String
    var made = 0
    var silent = 0
  }

  let rules: [OfRule]
  let faults: [OfFaults]
  let forms: [OfFaults]
  let allFaults: OfFaults
  let healthy: [OfHealthy]
  let allHealthy: OfHealthy
  let mended: OfHealthy
  /// In how many logs the tool counts other runs than there are: then prices compare different things.
  let countedOtherwise: Int
  let troubles: Int

  init(_ verdicts: [Verdict]) {
    let judged = verdicts.filter { $0.trouble == nil }
    let faulty = judged.filter(\.isFault)
    let sound = judged.filter { !$0.isFault }
    troubles = verdicts.count - judged.count
    // Rules that the tool has and this judge does not know come last.
    let names = judged.flatMap { ($0.said + $0.notes + $0.saidOfMended).map(\.rule) }
    let unknown = Set(names).filter { Rule(rawValue: $0) == nil }.sorted()
    rules = (Rule.allCases.map(\.rawValue) + unknown).map { OfRule($0, judged) }
    faults = Fault.allCases.map(\.rawValue).map { kind in OfFaults(kind, faulty.filter { $0.kind == kind }) }
    forms = Form.allCases.map { form in OfFaults(form.rawValue, faulty.filter { $0.form == form }) }
    allFaults = OfFaults("all", faulty)
    let kinds = Healthy.allCases.map(\.rawValue) + [Verdict.givenKind]
    healthy = kinds.map { kind in OfHealthy(kind, sound.filter { $0.kind == kind }) { $0.isSilent } }
    allHealthy = OfHealthy("all", sound) { $0.isSilent }
    mended = OfHealthy("mended", faulty) { $0.saidOfMended.isEmpty }
    countedOtherwise = judged.count { $0.countsOtherwise }
  }

  var said: Int { rules.reduce(0) { $0 + $1.said } }
  var right: Int { rules.reduce(0) { $0 + $1.right } }

  /// Whether it is as it must be: nine of ten findings are true, and next to nothing is said of healthy apps. Of few apps
  /// nobody can tell.
  var isGood: Bool {
    guard allFaults.made + allHealthy.made >= 200 else { return true }
    return right * 100 >= said * 90 && allHealthy.silent * 100 >= allHealthy.made * 98
  }
}

extension Score.OfRule {
  fileprivate init(_ rule: String, _ verdicts: [Verdict]) {
    self.rule = rule
    for verdict in verdicts {
      for said in verdict.said where said.rule == rule {
        self.said += 1
        if said.judgement == .cause { causes += 1 }
        if said.judgement == .symptom { symptoms += 1 }
      }
      for note in verdict.notes where note.rule == rule {
        notes += 1
        if note.judgement != .wrong { trueNotes += 1 }
      }
      saidOfMended += verdict.saidOfMended.count { $0.rule == rule }
      guard verdict.isFault, !verdict.isInert else { continue }
      if verdict.expected == rule, !verdict.hasCause { missed += 1 }
      guard let first = verdict.priced, first.rule == rule else { continue }
      costly += 1
      if first.promise != nil { priced += 1 }
      if verdict.isPriceRight == true { pricedRight += 1 }
    }
  }
}

extension Score.OfFaults {
  fileprivate init(_ name: String, _ verdicts: [Verdict]) {
    self.name = name
    made = verdicts.count
    for verdict in verdicts {
      guard !verdict.isInert else {
        inert += 1
        continue
      }
      if verdict.isLed { led += 1 }
      if verdict.hasCause { named += 1 }
      if verdict.isMisled { misled += 1 }
      if verdict.isSilent { silent += 1 }
      if verdict.isSilent, verdict.isSlight { silentSlight += 1 }
      if verdict.isNoted { noted += 1 }
      if verdict.priced != nil { costly += 1 }
      if verdict.isPriceRight == true { pricedRight += 1 }
    }
  }
}

extension Score.OfHealthy {
  fileprivate init(_ name: String, _ verdicts: [Verdict], isSilent: (Verdict) -> Bool) {
    self.init(name: name, made: verdicts.count, silent: verdicts.count(where: isSilent))
  }
}
