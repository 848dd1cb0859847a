/// How much of a cause chain is kept. A log may chain any number of events, of which a reader needs those next to
/// the run and those next to the root.
package struct WhyLimits: Sendable {
  /// The number of steps that are kept at each end of a chain, and at each end of a branch.
  var ends: Int
  var branchEnds: Int
  /// The number of branches of a chain; the causes of further writes are not told apart.
  var branches: Int

  /// More than anybody reads, for programs. The values of each write take a copy of the state before it.
  package static let all = WhyLimits(ends: 2000, branchEnds: 500, branches: 256)
  /// For a page.
  package static let page = WhyLimits(ends: 100, branchEnds: 50, branches: 64)
}

/// The steps of a cause chain in the order in which they are found, of which both ends are kept.
struct WhySteps {
  private let ends: Int
  private var first: [WhyStep] = []
  private var last: [WhyStep] = []
  private var omitted = 0
  private var omittedRuns = 0

  init(ends: Int) { self.ends = ends }

  /// The number of all steps.
  var count: Int { first.count + omitted + last.count }

  mutating func append(_ step: WhyStep) {
    if first.count < ends { return first.append(step) }
    last.append(step)
    if last.count > 2 * ends { omit(ends) }
  }

  /// The steps of both ends; between them a step that counts the others, if there are any.
  mutating func kept() -> [WhyStep] {
    if omitted > 0 || last.count > ends { omit(last.count - ends) }
    if omitted == 0 { return first + last }
    return first + [WhyStep(kind: .omitted, omitted: omitted, omittedRuns: omittedRuns)] + last
  }

  private mutating func omit(_ count: Int) {
    omitted += count
    omittedRuns += last[..<count].count { $0.kind == .evaluation }
    last.removeFirst(count)
  }
}

extension WhyStep {
  /// A step that counts others, which may count others in turn.
  package init(omitting steps: some Sequence<WhyStep>) {
    self.init(kind: .omitted, omitted: 0, omittedRuns: 0)
    for step in steps {
      omitted? += step.omitted ?? 1
      omittedRuns? += step.omittedRuns ?? (step.kind == .evaluation ? 1 : 0)
    }
  }
}
