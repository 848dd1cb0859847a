import EventLog

/// The account of a session: all its runs with their own time, and all its writes, each in one line; see ``AccountLine`` and
/// ``WriteLine``.
package struct RunAccount: Codable, Sendable {
  package struct Line: Codable, Sendable {
    package var line: AccountLine
    package var phrase: String
    package var runs: Int
    /// The own time of these runs, in nanoseconds.
    package var time: UInt64
    /// The run that took longest.
    package var worst: Example
    /// The command that shows these runs, and no others.
    package var command: String
    /// The command that shows why the longest ran.
    package var why: String

    enum CodingKeys: String, CodingKey {
      case line, phrase, runs
      case time = "time_ns"
      case worst, command, why
    }
  }

  package struct Example: Codable, Sendable {
    package var event: UInt64
    package var projection: String
    package var time: UInt64

    enum CodingKeys: String, CodingKey {
      case event
      case projection = "subject"
      case time = "time_ns"
    }
  }

  /// The runs of one sort; they are in the lines too.
  package struct Kind: Codable, Sendable {
    package var kind: RunKind
    package var phrase: String
    package var runs: Int
    package var time: UInt64

    enum CodingKeys: String, CodingKey {
      case kind, phrase, runs
      case time = "time_ns"
    }
  }

  /// Own time of runs for one path alone that follows from other reads, which did not change.
  package struct Unchanged: Codable, Sendable {
    package var projection: String
    /// What they ran for, and what did not change.
    package var path: String
    package var read: String
    package var elements: Int
    package var runs: Int
    package var time: UInt64

    enum CodingKeys: String, CodingKey {
      case projection = "subject"
      case path, read, elements, runs
      case time = "time_ns"
    }
  }

  package struct Writes: Codable, Sendable {
    package var line: WriteLine
    package var phrase: String
    package var writes: Int
    /// The first of them.
    package var event: UInt64
    /// The command that shows these writes, and no others.
    package var command: String
  }

  /// All runs, and their own time in nanoseconds.
  package var runs = 0
  package var time: UInt64 = 0
  /// How much of that went into comparing values, as far as it was measured; nil for none.
  package var comparing: UInt64?
  /// How much went into what did not change, in each pair of a projection and what it ran for that took 1 % of the time or
  /// more; nil for none.
  package var unchanged: [Unchanged]?
  /// Those with runs, in the order of ``AccountLine``.
  package var lines: [Line] = []
  package var kinds: [Kind] = []
  /// All writes.
  package var writes = 0
  /// Those with writes, in the order of ``WriteLine``.
  package var writeLines: [Writes] = []
  /// The account in a sentence.
  package var summary = ""

  enum CodingKeys: String, CodingKey {
    case runs
    case time = "time_ns"
    case lines, kinds, writes
    case writeLines = "write_lines"
    case summary
    case comparing = "comparing_ns"
    case unchanged
  }
}

extension RunAccount {
  /// The lines of needless runs and of those of which nothing is known, those that took longest first.
  package var largest: [Line] {
    lines.filter { $0.line != .needed }.sorted { ($1.time, $1.runs) < ($0.time, $0.runs) }
  }

  /// The time of all needless runs.
  var needlessTime: UInt64 { Self.time(of: needless) }

  private var needless: [Line] { largest.filter(\.line.isNeedless) }

  private static func time(of lines: [Line]) -> UInt64 { lines.reduce(0) { $0 + $1.time } }
}

// MARK: The sentence

extension RunAccount {
  /// `685 runs, 412.0 ms: 300 needed (200.0 ms), 380 needless (210.0 ms: 300 drew the same, 80 made anew), 5 cannot be told
  /// (2.0 ms); 20 of 40 writes needless (all of the same value)`.
  fileprivate var sentence: String {
    [runs == 0 ? "no runs" : sentenceOfRuns, sentenceOfWrites].compactMap(\.self).joined(separator: "; ")
  }

  private var sentenceOfRuns: String {
    let all = "\(Units.count(runs, "run")), \(Units.duration(time))\(callbacks): "
    if let only = lines.first, lines.count == 1 { return all + "all \(only.line.phrase)" + ofThat }
    var parts: [String] = []
    if let needed = line(.needed) { parts.append(Self.part(needed)) }
    if !needless.isEmpty { parts.append(needlessPart) }
    if let unknown = line(.unknown) { parts.append(Self.part(unknown)) }
    return all + parts.joined(separator: ", ") + ofThat
  }

  /// What is worth saying of the time, whatever line the runs are in.
  private var ofThat: String {
    let unchanged = (unchanged ?? []).reduce(UInt64(0)) { $0 + $1.time }
    let parts = [(comparing ?? 0, "in comparing"), (unchanged, "for what was read and did not change")]
      .filter { 20 * $0.0 >= time && $0.0 > 0 }.map { "\(Units.duration($0.0)) \($0.1)" }
    return parts.isEmpty ? "" : "; of that \(parts.joined(separator: ", "))"
  }

  private func line(_ line: AccountLine) -> Line? { lines.first { $0.line == line } }

  private static func part(_ line: Line) -> String {
    "\(line.runs.grouped) \(line.line.phrase) (\(Units.duration(line.time)))"
  }

  private var needlessPart: String {
    let runs = needless.reduce(0) { $0 + $1.runs }
    let reasons = Self.reasons(needless.map { ($0.runs, $0.phrase) })
    return "\(runs.grouped) needless (\(Units.duration(Self.time(of: needless))): \(reasons))"
  }

  /// `300 drew the same, 80 made anew`; of only one `all drew the same`.
  private static func reasons(_ counts: [(count: Int, phrase: String)]) -> String {
    if let only = counts.first, counts.count == 1 { return "all \(only.phrase)" }
    return counts.map { "\($0.count.grouped) \($0.phrase)" }.joined(separator: ", ")
  }

  /// What callbacks took, if that is a tenth or more.
  private var callbacks: String {
    guard let kind = kinds.first(where: { $0.kind == .callback }), kind.time > 0, 10 * kind.time >= time
    else { return "" }
    return ", \(Units.duration(kind.time)) of it in callbacks"
  }

  private var sentenceOfWrites: String? {
    let needless = writeLines.filter(\.line.isNeedless).sorted { $0.writes > $1.writes }
    if needless.isEmpty { return nil }
    let count = needless.reduce(0) { $0 + $1.writes }
    let reasons = Self.reasons(needless.map { ($0.writes, $0.phrase) })
    return "\(count.grouped) of \(Units.count(writes, "write")) needless (\(reasons))"
  }
}

/// The sums of an account, while runs and writes are counted.
struct AccountSums {
  struct Sum {
    var runs = 0
    var time: UInt64 = 0
    /// The run that took longest, the earliest of equals.
    var worst: UInt64 = 0
    var worstTime: UInt64 = 0

    mutating func add(_ seq: UInt64, _ duration: UInt64) {
      runs += 1
      time += duration
      let isWorse = duration > worstTime || duration == worstTime && seq < worst
      if worst == 0 || isWorse { (worst, worstTime) = (seq, duration) }
    }
  }

  private var sums: [AccountLine: Sum] = [:]
  private var kinds: [RunKind: Sum] = [:]
  private var writes: [WriteLine: (writes: Int, first: UInt64)] = [:]
  /// The part of the time that went into comparing.
  var comparing: UInt64 = 0

  mutating func add(_ line: AccountLine, _ kind: RunKind, _ seq: UInt64, _ duration: UInt64) {
    sums[line, default: Sum()].add(seq, duration)
    kinds[kind, default: Sum()].add(seq, duration)
  }

  mutating func add(_ line: WriteLine, _ seq: UInt64) {
    let known = writes[line] ?? (0, seq)
    writes[line] = (known.writes + 1, min(known.first, seq))
  }

  /// The account, with the names of its examples and the commands for them. Cost: reading a block for each line.
  ///
  /// - Parameters:
  ///   - seqs: The events that were counted.
  ///   - unchanged: What went into what did not change, as far as that is known.
  ///   - logName: The name of the log in commands; nil for its path.
  func account(
    _ log: LogSource, in seqs: Range<UInt64>, unchanged: [RunAccount.Unchanged] = [], logName: String? = nil
  ) -> RunAccount {
    let logName = logName ?? log.path
    func command(_ words: String...) -> String { words.map(\.quotedForShell).joined(separator: " ") }
    var range = ""
    if seqs.lowerBound > log.firstSeq { range += " --from \(seqs.lowerBound)" }
    if seqs.upperBound <= log.lastSeq { range += " --to \(seqs.upperBound - 1)" }
    var account = RunAccount()
    account.comparing = comparing > 0 ? comparing : nil
    account.unchanged = unchanged.isEmpty ? nil : unchanged
    for line in AccountLine.allCases {
      guard let sum = sums[line] else { continue }
      account.runs += sum.runs
      account.time += sum.time
      let name = log.event(sum.worst)?.body.projectionName ?? ""
      account.lines.append(
        RunAccount.Line(
          line: line, phrase: line.phrase, runs: sum.runs, time: sum.time,
          worst: RunAccount.Example(event: sum.worst, projection: name, time: sum.worstTime),
          command: command("replay", "hot", logName, "--line", line.rawValue, "--by", "time") + range,
          why: command("replay", "why", logName, name, "--at", "\(sum.worst)")))
    }
    for kind in RunKind.allCases {
      if let sum = kinds[kind] {
        account.kinds.append(
          RunAccount.Kind(kind: kind, phrase: kind.phrase, runs: sum.runs, time: sum.time))
      }
    }
    for line in WriteLine.allCases {
      guard let sum = writes[line] else { continue }
      account.writes += sum.writes
      account.writeLines.append(
        RunAccount.Writes(
          line: line, phrase: line.phrase, writes: sum.writes, event: sum.first,
          command: command("replay", "hot", logName, "--line", line.rawValue) + range))
    }
    account.summary = account.sentence
    return account
  }
}
