import EventLog

/// Several predictions in one pass over a log.
struct Predictions: ~Copyable, RowObserver {
  /// One of them. It is held by reference, because an array cannot hold what is not copied.
  final class Candidate {
    let rules: WhatIfRules
    var prediction: Prediction
    /// Why there is no prediction, if that is so. The others go on.
    fileprivate(set) var failure: AnalysisError?
    /// Whether it can only be made by a run that derives.
    fileprivate(set) var needsDerivation = false

    fileprivate init(_ rules: WhatIfRules, counting seqs: Range<UInt64>, derives: Bool) {
      self.rules = rules
      prediction = Prediction(rules, counting: seqs, derives: derives)
    }
  }

  let candidates: [Candidate]

  init(_ rules: [WhatIfRules], counting seqs: Range<UInt64>, derives: Bool) {
    candidates = rules.map { Candidate($0, counting: seqs, derives: derives) }
  }

  var needs: RunNeeds { candidates.first?.prediction.needs ?? [] }

  mutating func begin(_ run: inout LogRun) throws {
    for candidate in candidates { try attempt(candidate) { $0.begin(&run) } }
  }

  @inline(__always)
  mutating func observe(_ run: inout LogRun) throws {
    for candidate in candidates { try attempt(candidate) { try $0.observe(&run) } }
  }

  mutating func finish(_ run: inout LogRun) throws {
    for candidate in candidates { try attempt(candidate) { try $0.finish(&run) } }
  }

  /// - Throws: ``NeedsDerivation`` once no candidate can be predicted without.
  @inline(__always)
  private func attempt(_ candidate: Candidate, _ body: (inout Prediction) throws -> Void) throws {
    if candidate.failure != nil || candidate.needsDerivation { return }
    do { try body(&candidate.prediction) } catch let error as AnalysisError {
      candidate.failure = error
    } catch let error as NeedsDerivation {
      candidate.needsDerivation = true
      if candidates.allSatisfy(\.needsDerivation) { throw error }
    }
  }
}
