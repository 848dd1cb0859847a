import EventLog

/// The account of a session: all its runs and their own time, each in one line; see ``AccountLine``.
package struct RunAccount: Codable, Sendable {
  package struct Line: Codable, Sendable {
    package var line: AccountLine
    package var runs: Int
    /// The own time of these runs, in nanoseconds.
    package var time: UInt64
    /// The run that took longest.
    package var worst: Example
    /// The command that shows why that one ran.
    package var command: String

    enum CodingKeys: String, CodingKey {
      case line, runs
      case time = "time_ns"
      case worst, command
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

  /// All runs, and their own time in nanoseconds.
  package var runs = 0
  package var time: UInt64 = 0
  /// Those with runs, in the order of ``AccountLine``.
  package var lines: [Line] = []

  enum CodingKeys: String, CodingKey {
    case runs
    case time = "time_ns"
    case lines
  }
}

extension RunAccount {
  /// The account in a sentence: `685 runs, 412.0 ms: 300 needed (200.0 ms), 380 needless (210.0 ms: 300 drew the same, 80 made
  /// anew), 5 cannot be told (2.0 ms)`.
  package var summary: String {
    if runs == 0 { return "no runs" }
    let all = "\(Units.count(runs, "run")), \(Units.duration(time)): "
    if let only = lines.first, lines.count == 1 { return all + "all \(only.line.phrase)" }
    var parts: [String] = []
    if let needed = line(.needed) { parts.append(Self.part(needed)) }
    if !needless.isEmpty { parts.append(needlessPart) }
    if let unknown = line(.unknown) { parts.append(Self.part(unknown)) }
    return all + parts.joined(separator: ", ")
  }

  /// The lines of needless runs and of those of which nothing is known, those that took longest first.
  package var largest: [Line] {
    lines.filter { $0.line != .needed }.sorted { ($1.time, $1.runs) < ($0.time, $0.runs) }
  }

  private func line(_ line: AccountLine) -> Line? { lines.first { $0.line == line } }

  private var needless: [Line] { largest.filter(\.line.isNeedless) }

  private static func part(_ line: Line) -> String {
    "\(line.runs.grouped) \(line.line.phrase) (\(Units.duration(line.time)))"
  }

  private var needlessPart: String {
    let runs = needless.reduce(0) { $0 + $1.runs }
    let time = needless.reduce(UInt64(0)) { $0 + $1.time }
    let reasons = needless.map { "\($0.runs.grouped) \($0.line.phrase)" }
    let only = needless.count == 1 ? needless.first.map { "all \($0.line.phrase)" } : nil
    return "\(runs.grouped) needless (\(Units.duration(time)): \(only ?? reasons.joined(separator: ", ")))"
  }
}

/// The sums of an account, while runs are counted.
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

  private(set) var sums: [AccountLine: Sum] = [:]

  mutating func add(_ line: AccountLine, _ seq: UInt64, _ duration: UInt64) {
    sums[line, default: Sum()].add(seq, duration)
  }

  /// The account, with the names of its examples and the commands for them. Cost: reading a block for each line.
  ///
  /// - Parameter logName: The name of the log in commands; nil for its path.
  func account(_ log: LogSource, logName: String? = nil) -> RunAccount {
    var account = RunAccount()
    for line in AccountLine.allCases {
      guard let sum = sums[line] else { continue }
      account.runs += sum.runs
      account.time += sum.time
      let name = log.event(sum.worst)?.body.projectionName ?? ""
      let words = ["replay", "why", logName ?? log.path, name, "--at", "\(sum.worst)"]
      account.lines.append(
        RunAccount.Line(
          line: line, runs: sum.runs, time: sum.time,
          worst: RunAccount.Example(event: sum.worst, projection: name, time: sum.worstTime),
          command: words.map(\.quotedForShell).joined(separator: " ")))
    }
    return account
  }
}
