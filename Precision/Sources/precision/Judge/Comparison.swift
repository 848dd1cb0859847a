/// What became of the plans of an earlier run with the same seed.
struct Comparison {
  private let better: [String]
  private let worse: [String]
  private let others: [String]

  init(_ earlier: [Verdict], _ later: [Verdict]) {
    let earlier = Dictionary(earlier.map { ($0.index, $0) }) { first, _ in first }
    var (better, worse, others): ([String], [String], [String]) = ([], [], [])
    for verdict in later {
      guard let old = earlier[verdict.index], old.kind == verdict.kind, old.outcome != verdict.outcome else {
        continue
      }
      let line =
        "  \(verdict.index) \(verdict.kind), \(verdict.form.rawValue): \(old.outcome) -> \(verdict.outcome)"
      if verdict.rank > old.rank {
        better.append(line)
      } else if verdict.rank < old.rank {
        worse.append(line)
      } else {
        others.append(line)
      }
    }
    (self.better, self.worse, self.others) = (better, worse, others)
  }

  var text: String {
    let parts = [("better", better), ("worse", worse), ("otherwise", others)]
    return parts.map { name, lines in
      (["\(name) than before: \(lines.count)"] + lines).joined(separator: "\n")
    }
    .joined(separator: "\n")
  }
}

extension Verdict {
  /// How good the outcome is. To say nothing is better than to mislead.
  fileprivate var rank: Int {
    if trouble != nil { return 0 }
    if !isFault { return isSilent ? 4 : 1 }
    return isLed ? 4 : hasCause ? 3 : isSilent ? 2 : 1
  }
}
