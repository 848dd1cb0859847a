import Foundation

/// Says something to the person who waits.
func note(_ text: String) { FileHandle.standardError.write(Data("precision: \(text)\n".utf8)) }

/// What `--json` writes.
struct Answer: Codable {
  let seed: UInt64
  let count: Int
  let score: Score
  let verdicts: [Verdict]
}

func report(_ verdicts: [Verdict], _ score: Score, _ arguments: Arguments) throws {
  print(score.text)
  let shown = verdicts.filter { $0.trouble != nil || arguments.keep != nil && $0.wentWrong }
  if !shown.isEmpty { print("\n" + shown.map(\.text).joined(separator: "\n")) }
  if let file = arguments.against {
    let earlier = try JSONDecoder().decode(Answer.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
    print("\n" + Comparison(earlier.verdicts, verdicts).text)
  }
  if let file = arguments.json {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let answer = Answer(seed: arguments.seed, count: arguments.count, score: score, verdicts: verdicts)
    try encoder.encode(answer).write(to: URL(fileURLWithPath: file))
  }
}

/// Whether every plan has a verdict, and the tool is as good as it must be.
@MainActor func measure(_ arguments: Arguments) async throws -> Bool {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("precision-\(getpid())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  if let keep = arguments.keep {
    try FileManager.default.createDirectory(atPath: keep, withIntermediateDirectories: true)
  }
  var verdicts = try await Workers(arguments: arguments, folder: folder).run()
  let judge = Judge(tool: Tool(path: arguments.tool, folder: folder), folder: folder, kept: nil)
  for (index, log) in arguments.healthy.enumerated() {
    verdicts.append(judge.judge(healthyLog: log, index: arguments.count + index))
  }
  let score = Score(verdicts)
  try report(verdicts, score, arguments)
  return score.troubles == 0 && score.isGood
}

if CommandLine.arguments.dropFirst().contains(where: { ["--help", "-h"].contains($0) }) {
  print(Arguments.usage)
  exit(0)
}
do {
  let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
  if let number = arguments.worker, let verdicts = arguments.verdicts {
    let file = VerdictFile(url: URL(fileURLWithPath: verdicts))
    try await Worker(arguments: arguments, number: number, verdicts: file).run()
  } else if try await !measure(arguments) {
    exit(1)
  }
} catch let trouble as Trouble {
  note(trouble.description)
  print(Arguments.usage)
  exit(64)
} catch {
  note("\(error)")
  exit(1)
}
