import EventLog

/// Collects the cascades with the given roots, and an evaluation.
struct CascadeCollector: CascadeSink {
  private let roots: Set<UInt64>
  private let run: UInt64
  /// There are several cascades of one root if an event joined late.
  private(set) var found: [Cascade] = []
  /// The evaluation that was asked for, with what came before it.
  private(set) var evaluation: Cascade.Evaluation?
  /// The evaluation that was read last.
  private(set) var last: Cascade.Evaluation?
  let end: UInt64

  /// - Parameters:
  ///   - run: The seq of an evaluation; 0 for none.
  ///   - end: The first event whose cascade is not needed.
  init(_ roots: Set<UInt64>, run: UInt64 = 0, end: UInt64) {
    self.roots = roots
    self.run = run
    self.end = end
  }

  func wants(_ root: UInt64) -> Bool { roots.contains(root) }

  mutating func receive(_ evaluation: Cascade.Evaluation, _ run: inout LogRun) {
    last = evaluation
    if evaluation.seq == self.run { self.evaluation = evaluation }
  }

  mutating func receive(_ cascade: Cascade, _ titles: inout CascadeTitles, _ run: inout LogRun) {
    found.append(cascade.copy())
  }
}
