/// Whether a finding is right.
enum Judgement: String, Codable {
  /// It leads to the fault.
  case cause
  /// It is true because of the fault, and does not lead to it.
  case symptom
  case wrong
}

extension Truth {
  /// The judgement, and whether the mended app costs what the finding promises if it is right.
  func judge(_ finding: Finding) -> (Judgement, isMend: Bool) {
    if let cause = causes.first(where: { $0.holds(for: finding, orUnknown: true) }) {
      return (.cause, cause.isMend)
    }
    return (symptoms.contains { $0.holds(for: finding, orUnknown: false) } ? .symptom : .wrong, false)
  }
}

extension Truth.Claim {
  /// Whether a finding says this: by a rule of the claim, about a view, a path or a place of it.
  fileprivate func holds(for finding: Finding, orUnknown: Bool) -> Bool {
    let isRule = Rule(rawValue: finding.rule).map(rules.contains) ?? orUnknown
    guard isRule else { return false }
    let texts = finding.named
    let named = views.union(paths)
    if texts.contains(where: { text in named.contains { text.mentions($0) } }) { return true }
    let sites = Set(views.map { Site(of: $0).text })
    return finding.sites?.values.contains { sites.contains($0) } ?? false
  }
}

extension Finding {
  /// What names something. A sentence alone counts only if no field does.
  fileprivate var named: [String] {
    let fields = [subject, path].compactMap(\.self) + (change ?? []).compactMap(\.argument)
    return fields.isEmpty ? [message] : fields
  }
}

extension String {
  /// Whether it has a name that is not a part of a longer one.
  fileprivate func mentions(_ name: String) -> Bool {
    let (text, word) = (Array(utf8), Array(name.utf8))
    guard !word.isEmpty, text.count >= word.count else { return false }
    return (0...(text.count - word.count)).contains { start in
      let end = start + word.count
      return text[start..<end].elementsEqual(word)
        && (start == 0 || !text[start - 1].isInName) && (end == text.count || !text[end].isInName)
    }
  }
}

extension UInt8 {
  fileprivate var isInName: Bool {
    (48...57).contains(self) || (65...90).contains(self) || (97...122).contains(self) || self == 95
  }
}
