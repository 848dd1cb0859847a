// Findings whose change has no price, their place among the others, and those that are symptoms of another.

extension LintPrices {
  /// Prices what no change can predict by the runs that it is about. Returns those with a price, and the others.
  func estimate(_ findings: [Finding]) -> (priced: [Finding], others: [Finding]) {
    var (priced, others): ([Finding], [Finding]) = ([], [])
    for var finding in findings {
      guard finding.changes.isEmpty, !finding.isNote, let needless = finding.needless,
        needless.runs > 0 || needless.time > 0 || finding.losesState
      else {
        others.append(finding)
        continue
      }
      (finding.baseline, finding.predicted) = (all, all.less(needless))
      finding.isNote = isCost(finding) && !isWorth(all.less(needless), of: all)
      if finding.isNote { others.append(finding) } else { priced.append(finding) }
    }
    return (priced, others)
  }

  /// Findings in the order in which they were chosen, with others where they belong by what they save.
  func ranked(_ chosen: [Finding], _ others: [Finding]) -> [Finding] {
    var ranked = chosen
    for other in others.sorted(by: { saved($0) > saved($1) }) {
      let place = ranked.firstIndex { isPace($0.changes) || saved($0) < saved(other) } ?? ranked.count
      ranked.insert(other, at: place)
    }
    return ranked
  }

  /// Findings without those that are symptoms of another, whose alternatives they become: a flood of what another change is
  /// about, and a burst of what a loop or a chain of callbacks writes.
  func folded(_ findings: [Finding]) -> [Finding] {
    var kept = findings.filter { finding in !findings.contains { isSymptom(finding, of: $0) } }
    for symptom in findings {
      guard let predicted = symptom.predicted,
        let cause = kept.firstIndex(where: { isSymptom(symptom, of: $0) })
      else { continue }
      kept[cause].alternatives.append(
        LintReport.Alternative(rule: symptom.rule, change: symptom.changes, predicted: predicted))
    }
    return kept
  }

  private func isSymptom(_ a: Finding, of b: Finding) -> Bool {
    let sharesPath = a.paths.contains { b.paths.contains($0) }
    return switch a.rule {
    case .flood: b.rule != .flood && b.rule != .burst && sharesPath
    case .burst: [.selfWake, .callbackChain].contains(b.rule) && (sharesPath || isAbout(a, b))
    default: false
    }
  }
}
