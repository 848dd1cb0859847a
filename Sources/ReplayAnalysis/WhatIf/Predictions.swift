import EventLog

/// Several predictions in one pass over a log.
struct Predictions: ~Copyable, RowObserver {
  /// One of them. It is held by reference, because an array cannot hold what is not copied.
  final class Candidate {
    let rules: WhatIfRules
    var prediction: Prediction
    /// Why there is no prediction, if that is so. The others go on.
    var failure: AnalysisError?

    init(_ rules: WhatIfRules, counting seqs: Range<UInt64>, hasInvalidations: Bool) {
      self.rules = rules
      prediction = Prediction(rules, counting: seqs, hasInvalidations: hasInvalidations)
    }

    @inline(__always)
    fileprivate func attempt(_ body: (inout Prediction) throws -> Void) throws {
      if failure != nil { return }
      do { try body(&prediction) } catch let error as AnalysisError { failure = error }
    }
  }

  let candidates: [Candidate]

  init(_ rules: [WhatIfRules], counting seqs: Range<UInt64>, hasInvalidations: Bool) {
    candidates = rules.map { Candidate($0, counting: seqs, hasInvalidations: hasInvalidations) }
  }

  var needs: RunNeeds { candidates.reduce([]) { $0.union($1.prediction.needs) } }

  mutating func begin(_ run: inout LogRun) throws {
    for candidate in candidates { try candidate.attempt { $0.begin(&run) } }
  }

  @inline(__always)
  mutating func observe(_ run: inout LogRun) throws {
    for candidate in candidates { try candidate.attempt { try $0.observe(&run) } }
  }

  mutating func finish(_ run: inout LogRun) throws {
    for candidate in candidates { try candidate.attempt { try $0.finish(&run) } }
  }
}
