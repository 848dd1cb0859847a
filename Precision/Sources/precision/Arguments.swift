import Foundation

/// What the command line says.
struct Arguments: Sendable {
  enum Format: String { case text, json }

  var tool = ""
  var seed: UInt64 = 1
  var count = 200
  var jobs = 1
  var only: String?
  var keep: String?
  var format = Format.text
  /// The share of a process that this program started, and where it writes.
  var worker: Int?
  var verdicts: String?

  var plans: [Plan] { Plan.all(seed: seed, count: count, only: only) }

  static let usage = """
    usage: precision --tool PATH [--seed N] [--count N] [--jobs N] [--only KIND] [--keep DIR] [--format text|json]

      --tool PATH   the replay whose lint is judged
      --seed N      what the apps are made of; the same number makes the same ones (1)
      --count N     how many apps (200)
      --jobs N      how many processes (1)
      --only KIND   apps of one kind, as the table names it
      --keep DIR    keep the logs of apps that lint was wrong about, and print what it said
      --format F    text or json (text)
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
    case "--format":
      guard let known = Format(rawValue: value) else {
        throw Trouble(description: "--format is text or json, not \(value)")
      }
      format = known
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
