import EventLog

/// Collects the cascades with the given roots, and an evaluation.
struct CascadeCollector: CascadeSink {
  private let roots: Set<UInt64>
  private let run: UInt64
  /// The cascades by root. There are several of one root if an event joined late.
  private(set) var found: [UInt64: [Cascade]] = [:]
  /// The evaluation that was asked for, with what came before it.
  private(set) var evaluation: Cascade.Evaluation?
  let end: UInt64
  let patience: UInt64

  /// - Parameters:
  ///   - run: The seq of an evaluation; 0 for none.
  ///   - end: The first event whose cascade is not needed.
  ///   - patience: How many events from there on may still join a cascade. 0 if the ends of the cascades are known.
  init(
    _ roots: Set<UInt64>, run: UInt64 = 0, end: UInt64, patience: UInt64 = 2 * OpenCascades.patience
  ) {
    self.roots = roots
    self.run = run
    self.end = end
    self.patience = patience
  }

  func wants(_ root: UInt64) -> Bool { roots.contains(root) }

  mutating func receive(_ evaluation: Cascade.Evaluation, _ run: inout LogRun) {
    if evaluation.seq == self.run { self.evaluation = evaluation }
  }

  mutating func receive(_ cascade: Cascade, _ titles: inout CascadeTitles, _ run: inout LogRun) {
    found[cascade.root, default: []].append(cascade.copy())
  }
}
