/// What came of one plan.
struct Verdict: Codable {
  let index: Int
  let kind: String
  let isFault: Bool
  let form: Form
  let hosting: Hosting
  let rows: Int
  let events: Int
  /// The rule that was made for such faults, if there is one.
  var expected: String?
  /// What was said of the app, best first, without notes.
  var said: [Said] = []
  var notes: [Said] = []
  /// What was said of the mended app, in which nothing is wrong.
  var saidOfMended: [Said] = []
  var cost = Cost()
  var costOfMended: Cost?
  /// Why there is no verdict.
  var trouble: String?
  /// The log that was given instead of a plan.
  var log: String?

  /// The kind of logs that are said to be healthy.
  static let givenKind = "given logs"

  struct Said: Codable {
    let rule: String
    let judgement: Judgement
    /// Whether the mended app costs what it promises, if it is right.
    let isMend: Bool
    let message: String
    let advice: String?
    let baseline: Cost?
    let promise: Cost?
  }

  init(_ plan: Plan) {
    (index, kind, isFault) = (plan.index, plan.kind, plan.fault != nil)
    (form, hosting) = (plan.subject.form, plan.hosting)
    (rows, events) = (plan.subject.rows, plan.subject.events)
  }

  init(ofHealthyLog log: String, index: Int) {
    (self.index, kind, isFault) = (index, Self.givenKind, false)
    (form, hosting) = (.bare, .session)
    (rows, events) = (0, 0)
    self.log = log
  }
}

extension Verdict {
  /// What the mend really saved.
  var saved: Cost? { costOfMended.map { Cost(runs: cost.runs - $0.runs, time: cost.time - $0.time) } }

  /// Whether the mend saved next to none of what such faults cost: then there was no fault.
  var isInert: Bool {
    guard let saved, let fault = Fault(rawValue: kind) else { return false }
    switch fault.price {
    case .runs: return saved.runs * 100 < max(cost.runs, 100)
    case .time: return saved.time * 100 < cost.time
    case .nothing: return false
    }
  }

  /// Whether the mend saved little: some runs, and no time that one would notice.
  var isSlight: Bool { saved.map { $0.runs < 100 && $0.time < 10_000_000 } ?? false }

  var isLed: Bool { said.first?.judgement == .cause }
  var hasCause: Bool { said.contains { $0.judgement == .cause } }
  /// Whether only a note leads to the fault, for which lint does not end with status 1.
  var isNoted: Bool { !hasCause && notes.contains { $0.judgement == .cause } }
  var isMisled: Bool { !said.isEmpty && !hasCause }
  var isSilent: Bool { said.isEmpty }

  var wentWrong: Bool {
    if trouble != nil { return true }
    if !saidOfMended.isEmpty || said.contains(where: { $0.judgement == .wrong }) { return true }
    return isFault && !isInert && !isLed
  }

  /// The first finding that leads to the fault, if its price can be judged: if the mend saves something, and is what the
  /// finding advises.
  var priced: Said? {
    guard let price = Fault(rawValue: kind)?.price, price != .nothing else { return nil }
    return said.first { $0.judgement == .cause }.flatMap { $0.isMend ? $0 : nil }
  }

  /// Whether its promise is within a fifth of what was saved, of what such faults cost; nil if it promises nothing.
  var isPriceRight: Bool? {
    guard let promise = priced?.promise, let saved, let price = Fault(rawValue: kind)?.price else {
      return nil
    }
    return price == .time ? Self.isNear(promise.time, saved.time) : Self.isNear(promise.runs, saved.runs)
  }

  private static func isNear(_ promised: Int, _ real: Int) -> Bool { abs(promised - real) * 5 <= abs(real) }

  /// Whether the tool counts the runs of a log otherwise than its lines do: then prices compare different things.
  var countsOtherwise: Bool {
    log == nil && said.contains { $0.baseline.map { $0.runs != cost.runs } ?? false }
  }
}
