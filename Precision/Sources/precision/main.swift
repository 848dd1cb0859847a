import Foundation

/// Says something to the person who waits.
func note(_ text: String) { FileHandle.standardError.write(Data("precision: \(text)\n".utf8)) }

/// What `--format json` prints.
struct Answer: Encodable {
  let seed: UInt64
  let count: Int
  let score: Score
  let verdicts: [Verdict]
}

func report(_ verdicts: [Verdict], _ arguments: Arguments) throws {
  let score = Score(verdicts)
  if arguments.format == .json {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let answer = Answer(seed: arguments.seed, count: arguments.count, score: score, verdicts: verdicts)
    print(String(decoding: try encoder.encode(answer), as: UTF8.self))
    return
  }
  print(score.text)
  let shown = verdicts.filter { $0.trouble != nil || arguments.keep != nil && $0.wentWrong }
  if !shown.isEmpty { print("\n" + shown.map(\.text).joined(separator: "\n")) }
}

/// Whether every plan has a verdict.
func measure(_ arguments: Arguments) async throws -> Bool {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("precision-\(getpid())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  if let keep = arguments.keep {
    try FileManager.default.createDirectory(atPath: keep, withIntermediateDirectories: true)
  }
  let verdicts = try await Workers(arguments: arguments, folder: folder).run()
  try report(verdicts, arguments)
  return verdicts.allSatisfy { $0.trouble == nil }
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
