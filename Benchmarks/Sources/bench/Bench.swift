import BenchSupport
import ArgumentParser

@main
struct Bench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measures the same work done by this package, the standard library and OpenCombine.",
    discussion: """
      Each line is the median of all rounds, with the least and the greatest. A ratio compares with the
      first line of its table, round by round. Below 1 is faster than the standard library.
      Two groups of tables take some minutes, and run only where they are named: --only shapes shows which costs
      grow faster than the number of rows, of shapes that --contender picks; --only plain shows what plain arrays
      and dictionaries cost.
      """)

  @Option(help: "How many rounds are counted, after one that is not.")
  var rounds = 15

  @Option(help: "Run only the tables whose title contains this text.")
  var only: String?

  @Option(help: "Run only the contenders whose name contains this text, to profile them.")
  var contender: String?

  @Flag(help: "Measure shapes in a session that records nothing, not in one that records to a file.")
  var unrecorded = false

  @Option(help: "How many messages the mail app begins with, if not 2,000 for 8 hours, then 20,000 for one.")
  var mailMessages: Int?

  @Option(help: "How many hours the mail app is used.")
  var mailHours: Int?

  @Option(help: "What decides all that happens in the mail app.")
  var mailSeed: UInt64 = 1

  @Option(help: "Where the log of the first use of the mail app is kept; it is removed otherwise.")
  var mailLog: String?

  func run() throws {
    let contests: [Contest] = [
      .set(200_000), .wake(20_000), .readOutside(500_000), .readInside(50_000), .create(100_000),
      .cancel(10_000), .cancel(100_000), .trap(rows: 1_000, 200), .bump(2_000, byID: false),
      .bump(2_000, byID: true), .typingInString(100_000), .typingInLines(100_000), .inPlace(20_000),
    ]
    if only.map(MemoryTable.title.contains) ?? true {
      try MemoryTable(objects: 100_000, only: contender).run()
    }
    if only.map(ShapesTable.title.contains) ?? false {
      try ShapesTable(rounds: rounds, isRecorded: !unrecorded, only: contender).run()
    }
    let graphs = Graph.shapes.lazy.filter { only.map("graph, \($0.title)".contains) ?? true }
    for var contest in contests where only.map(contest.title.contains) ?? true {
      if let contender { contest.contenders.removeAll { !$0.name.contains(contender) } }
      try contest.run(rounds: rounds)
    }
    for var contest in Contest.plain where only.map(contest.title.contains) ?? false {
      if let contender { contest.contenders.removeAll { !$0.name.contains(contender) } }
      try contest.run(rounds: min(rounds, 5))
    }
    for graph in graphs { try Contest.graph(graph, recomputations: 20_000).run(rounds: rounds) }
    // Takes longer than all the others.
    if only.map(MailboxTable.title.contains) ?? true {
      let isAsked = mailMessages != nil || mailHours != nil
      let uses = isAsked ? [(mailMessages ?? 20_000, mailHours ?? 8)] : [(2_000, 8), (20_000, 1)]
      for (number, (messages, hours)) in uses.enumerated() {
        try MailboxTable(
          messages: messages, hours: hours, seed: mailSeed, log: number == 0 ? mailLog : nil, only: contender
        ).run()
      }
    }
  }
}
