/// What came of one plan.
struct Verdict: Codable {
  let index: Int
  let kind: String
  let isFault: Bool
  let form: Form
  let hosting: Hosting
  let rows: Int
  let events: Int
  /// What was said of the app, best first, without notes.
  var said: [Said] = []
  var notes: [Said] = []
  /// What was said of the mended app, in which nothing is wrong.
  var saidOfMended: [Said] = []
  var cost = Cost()
  var costOfMended: Cost?
  /// Why there is no verdict.
  var trouble: String?

  struct Said: Codable {
    let rule: String
    let judgement: Judgement
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
}

extension Verdict {
  /// What the mend really saved.
  var saved: Cost? { costOfMended.map { Cost(runs: cost.runs - $0.runs, time: cost.time - $0.time) } }

  /// Whether the mend saved next to none of the runs that such faults cost: then there was no fault. Times do not decide
  /// it, since they differ from run to run.
  var isInert: Bool {
    guard let saved, let fault = Fault(rawValue: kind), fault.price == .runs else { return false }
    return saved.runs * 100 < max(cost.runs, 100)
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

  /// The first finding that leads to the fault and has a price.
  var priced: Said? { said.first { $0.judgement == .cause && $0.promise != nil } }

  /// Whether its promise is within a fifth of what was saved, in runs and in time.
  var isPriceRight: (runs: Bool, time: Bool)? {
    guard let promise = priced?.promise, let saved else { return nil }
    return (Self.isNear(promise.runs, saved.runs), Self.isNear(promise.time, saved.time))
  }

  private static func isNear(_ promised: Int, _ real: Int) -> Bool { abs(promised - real) * 5 <= abs(real) }

  /// Whether the tool counts the runs of a log otherwise than its lines do: then prices compare different things.
  var countsOtherwise: Bool { said.contains { $0.baseline.map { $0.runs != cost.runs } ?? false } }
}
