import Foundation

/// What the command line says.
struct Arguments: Sendable {
  var tool = ""
  var seed: UInt64 = 1
  var count = 1_000
  var jobs = ProcessInfo.processInfo.activeProcessorCount
  var only: String?
  var keep: String?
  /// Where the verdicts are written, and those of an earlier run with which they are compared.
  var json: String?
  var against: String?
  /// Logs that are said to be healthy.
  var healthy: [String] = []
  /// The share of a process that this program started, and where it writes.
  var worker: Int?
  var verdicts: String?

  var plans: [Plan] { Plan.all(seed: seed, count: count, only: only) }

  static let usage = """
    usage: precision --tool PATH [--seed N] [--count N] [--jobs N] [--only KIND] [--keep DIR] [--json PATH]
                     [--against PATH] [--healthy LOG ...]

      --tool PATH     the replay whose lint is judged
      --seed N        what the apps are made of; the same number makes the same ones (1)
      --count N       how many apps (1000)
      --jobs N        how many processes (as many as there are processors)
      --only KIND     apps of one kind, as the table names it
      --keep DIR      keep the logs of apps that lint was wrong about, and print what it said
      --json PATH     write the score and all verdicts into a file
      --against PATH  compare with such a file: what became better, and what worse
      --healthy LOG   a log of which nothing should be said; may be repeated

    The exit status is 1 if an app has no verdict, if under 90 % of the findings are true, or if something is said of more than
    2 % of the healthy apps. Of fewer than 200 apps only the first counts.
    """

  init(_ words: [String]) throws {
    var rest = words[...]
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else { throw Trouble(description: "\(option) needs a value") }
      try set(option, value)
    }
    guard !tool.isEmpty else { throw Trouble(description: "--tool is missing: the path of replay") }
    guard FileManager.default.isExecutableFile(atPath: tool) else {
      throw Trouble(description: "--tool \(tool) is no program")
    }
  }

  private mutating func set(_ option: String, _ value: String) throws {
    switch option {
    case "--tool": tool = value
    case "--seed": seed = try Self.number(option, value, 0...UInt64.max)
    case "--count": count = Int(try Self.number(option, value, 1...100_000))
    case "--jobs": jobs = Int(try Self.number(option, value, 1...64))
    case "--only": only = try Self.kind(value)
    case "--keep": keep = value
    case "--json": json = value
    case "--against": against = value
    case "--healthy": healthy.append(value)
    case "--worker": worker = Int(try Self.number(option, value, 0...63))
    case "--verdicts": verdicts = value
    default: throw Trouble(description: "there is no option \(option)")
    }
  }

  private static func number(_ option: String, _ value: String, _ range: ClosedRange<UInt64>) throws -> UInt64
  {
    guard let number = UInt64(value), range.contains(number) else {
      throw Trouble(
        description: "\(option) is a number from \(range.lowerBound) to \(range.upperBound), not \(value)")
    }
    return number
  }

  private static func kind(_ value: String) throws -> String {
    let kinds = Fault.allCases.map(\.rawValue) + Healthy.allCases.map(\.rawValue)
    guard kinds.contains(value) else {
      throw Trouble(description: "--only \(value) is no kind; there are \(kinds.joined(separator: ", "))")
    }
    return value
  }
}
