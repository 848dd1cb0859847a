import Foundation

/// Judges each plan of a share, in a process of its own, and writes the verdicts into a file, a line each.
@MainActor struct Worker {
  let arguments: Arguments
  let number: Int
  let verdicts: VerdictFile

  func run() async throws {
    // Within the folder of the process that started this one, which removes it.
    let folder = verdicts.url.deletingLastPathComponent().appendingPathComponent("worker-\(number)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let judge = Judge(
      tool: Tool(path: arguments.tool, folder: folder), folder: folder,
      kept: arguments.keep.map { URL(fileURLWithPath: $0, isDirectory: true) })
    let done = Set(try verdicts.read().map(\.index))
    let plans = arguments.plans.filter { $0.index % arguments.jobs == number && !done.contains($0.index) }
    for (position, plan) in plans.enumerated() {
      try verdicts.append(await judge.judge(plan))
      if (position + 1) % 10 == 0 || position + 1 == plans.count {
        note("process \(number + 1): \(position + 1) of \(plans.count) plans")
      }
    }
  }
}

/// Verdicts as lines of a file, which outlive the process that wrote them.
struct VerdictFile {
  let url: URL

  func read() throws -> [Verdict] {
    guard FileManager.default.fileExists(atPath: url.path) else { return [] }
    return try Data(contentsOf: url).split(separator: 10).map {
      try JSONDecoder().decode(Verdict.self, from: $0)
    }
  }

  func append(_ verdict: Verdict) throws {
    if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
    let file = try FileHandle(forWritingTo: url)
    defer { try? file.close() }
    try file.seekToEnd()
    try file.write(contentsOf: try JSONEncoder().encode(verdict) + [10])
  }
}

/// Starts the workers, and goes on behind a plan whose app brought its process down.
struct Workers {
  let arguments: Arguments
  let folder: URL

  func run() async throws -> [Verdict] {
    try await withThrowingTaskGroup(of: [Verdict].self) { group in
      for number in 0..<arguments.jobs { group.addTask { try await verdicts(of: number) } }
      return try await group.reduce(into: []) { $0 += $1 }.sorted { $0.index < $1.index }
    }
  }

  private func verdicts(of number: Int) async throws -> [Verdict] {
    let file = VerdictFile(url: folder.appendingPathComponent("verdicts-\(number).jsonl"))
    let plans = arguments.plans.filter { $0.index % arguments.jobs == number }
    while true {
      let status = try await start(number, file.url)
      let done = try file.read()
      let missing = Set(plans.map(\.index)).subtracting(done.map(\.index)).min()
      guard let missing, let plan = plans.first(where: { $0.index == missing }) else { return done }
      var verdict = Verdict(plan)
      verdict.trouble = "the process that recorded it ended with status \(status)"
      try file.append(verdict)
    }
  }

  private func start(_ number: Int, _ file: URL) async throws -> Int32 {
    let process = Process()
    process.executableURL = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments =
      Array(CommandLine.arguments.dropFirst()) + ["--worker", "\(number)", "--verdicts", file.path]
    return try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
  }
}
