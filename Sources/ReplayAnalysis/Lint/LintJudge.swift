import EventLog

/// Decides which counts of a run are worth a word, and says so.
struct LintJudge {
  typealias Finding = LintReport.Finding

  /// How a projection came to depend on a place that is written.
  enum Read {
    /// It reads just that.
    case exact
    /// It reads something that contains it.
    case whole(String)
    /// It reads something else of the object, which it follows as a whole.
    case object
  }

  let tally: LintTally
  let thresholds: LintThresholds
  let log: String
  /// The pairs that are hot parents.
  private var hotPairs: Set<Int> = []

  init(_ tally: LintTally, _ thresholds: LintThresholds, _ log: String) {
    self.tally = tally
    self.thresholds = thresholds
    self.log = log
  }

  /// What is found, the most wasted runs first.
  mutating func findings(_ rules: [LintRule]) -> [Finding] {
    var findings: [Finding] = []
    for pair in tally.pairs.pairs.indices {
      // A parent that is hot is not told again as one that mixes.
      if let finding = hotParent(pair) {
        hotPairs.insert(pair)
        findings.append(finding)
      } else if let finding = mixedReads(pair) {
        findings.append(finding)
      }
      if let finding = wholeCollection(pair) { findings.append(finding) }
      if let finding = selfWake(pair) { findings.append(finding) }
    }
    for place in tally.written.places.indices {
      findings += [wholesaleChange(place), sameValue(place), flood(place)].compactMap(\.self)
    }
    findings += equalDerived()
    return findings.filter { rules.contains($0.rule) }.sorted {
      ($1.evidence.wasted, $1.evidence.evaluations, $1.evidence.writes, $0.message)
        < ($0.evidence.wasted, $0.evidence.evaluations, $0.evidence.writes, $1.message)
    }
  }

  // MARK: What the numbers stand for

  func name(_ group: Int32) -> String { tally.flush.lives.groups[Int(group)] }

  func path(_ place: Int32) -> String { tally.places.names[Int(place)] }

  func changes(_ place: Int32) -> Int {
    Int(place) < tally.written.places.count ? tally.written.places[Int(place)].changes : 0
  }

  func isMostlyWasted(_ work: WakePairs.Work) -> Bool {
    LintThresholds.isShare(work.wasted, of: work.runs, atLeast: thresholds.wasted)
  }

  func read(_ pair: WakePairs.Pair) -> Read {
    let readers = tally.readers[Int(pair.group)]
    if readers.reads.contains(pair.place) { return .exact }
    let written = path(pair.place)
    let whole = readers.reads.map(path).filter { written.isPart(of: $0) }.max {
      $0.utf8.count < $1.utf8.count
    }
    return whole.map { .whole($0) } ?? .object
  }

  // MARK: Words

  /// `ProductList, ProductRow`: those that ran along for nothing most often, as people list them.
  func followers(_ pair: WakePairs.Pair) -> [String] {
    pair.followers.sorted { $0.wasted > $1.wasted }.prefix(3).map { name($0.group) }
  }

  func list(_ names: [String]) -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "nobody" }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }

  /// `ran along 300 times, every time for nothing`.
  func wasted(_ work: WakePairs.Work) -> String {
    work.wasted == work.runs
      ? "\(Units.count(work.runs, "time")), each time to draw the same"
      : "\(Units.count(work.runs, "time")), \(work.wasted.grouped) of them to draw the same"
  }

  /// A command of the tool for this log, quoted for a shell.
  func whatIf(_ options: String...) -> String { whatIf(options) }

  func whatIf(_ options: [String]) -> String {
    (["replay", "what-if", log] + options).map(\.quotedForShell).joined(separator: " ")
  }
}

extension String {
  /// Whether a path leads to a part of what another leads to; both as groups are written.
  func isPart(of whole: String) -> Bool {
    guard hasPrefix(whole), utf8.count > whole.utf8.count else { return false }
    let next = utf8[utf8.index(utf8.startIndex, offsetBy: whole.utf8.count)]
    return next == 0x2E || next == 0x5B
  }
}
