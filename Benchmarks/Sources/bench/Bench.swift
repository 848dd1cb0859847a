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
      Five groups of tables take some minutes, and run only where they are named: --only shapes shows which costs
      grow faster than the number of rows, of shapes that --contender picks; --only plain shows what plain arrays
      and dictionaries cost; --only kinds what a set costs by the kind and size of its value; --only growth shows the memory that is resident after --lifetimes objects; --only drive
      what driving a recording costs beside the same writes by hand, and the memory for one of --lifetimes writes.
      With --few only what an app does most is measured, and less often, for a build that is not optimised.
      """)

  @Option(help: "How many rounds are counted, after one that is not.")
  var rounds = 15

  @Option(help: "Run only the tables whose title contains this text.")
  var only: String?

  @Option(help: "Run only the contenders whose name contains this text, to profile them.")
  var contender: String?

  @Flag(help: "Measure few contests, with few operations, as a build without optimisation needs it.")
  var few = false

  @Flag(help: "Measure shapes in a session that records nothing, not in one that records to a file.")
  var unrecorded = false

  @Option(help: "How many objects come and go.")
  var churnLives = 50_000

  @Option(help: "How many objects, and how many keys, come and go in the table of growth.")
  var lifetimes = 200_000

  @Option(help: "The tool whose memory on the log of growth is measured.")
  var replay: String?

  @Option(help: "Where the log of the objects that come and go is kept; it is removed otherwise.")
  var churnLog: String?

  @Option(help: "How many messages the mail app begins with, if not 2,000 for 8 hours, then 20,000 for one.")
  var mailMessages: Int?

  @Option(help: "How many hours the mail app is used.")
  var mailHours: Int?

  @Option(help: "What decides all that happens in the mail app.")
  var mailSeed: UInt64 = 1

  @Option(help: "Where the log of the first use of the mail app is kept; it is removed otherwise.")
  var mailLog: String?

  func run() throws {
    if few { return try run(Contest.few) { only.map($0.contains) ?? true } }
    if only.map(MemoryTable.title.contains) ?? true {
      try MemoryTable(objects: 100_000, only: contender).run()
    }
    if only.map(ShapesTable.title.contains) ?? false {
      try ShapesTable(rounds: rounds, isRecorded: !unrecorded, only: contender).run()
    }
    try run(Contest.usual) { only.map($0.contains) ?? true }
    try run([.sustainedSet(50_000_000)], rounds: min(rounds, 3)) { only.map($0.contains) ?? true }
    try run(Contest.plain, rounds: min(rounds, 5)) { only.map($0.contains) ?? false }
    if only.map(KindsTable.title.contains) ?? false {
      try KindsTable(rounds: min(rounds, 5), only: contender).run()
    }
    let graphs = Graph.shapes.lazy.filter { only.map("graph, \($0.title)".contains) ?? true }
    for graph in graphs { try run([.graph(graph, recomputations: 20_000)]) { _ in true } }
    if only.map(ChurnTable.title.contains) ?? true {
      try ChurnTable(lives: churnLives, keys: 10 * churnLives, log: churnLog, only: contender).run()
    }
    if only.map(GrowthTable.title.contains) ?? false {
      try GrowthTable(lifetimes: lifetimes, tool: replay).run()
    }
    if only.map(DriveTable.title.contains) ?? false {
      try DriveTable(rounds: min(rounds, 5), writes: 20_000, lifetimes: lifetimes, only: contender).run()
    }
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

  /// Runs the contests whose titles are wanted, with the contenders that were asked for.
  private func run(
    _ contests: [Contest], rounds: Int? = nil, where isWanted: (_ title: String) -> Bool
  ) throws {
    for var contest in contests where isWanted(contest.title) {
      if let contender { contest.contenders.removeAll { !$0.name.contains(contender) } }
      try contest.run(rounds: rounds ?? self.rounds)
    }
  }
}

extension Contest {
  /// What is measured unless something else is named.
  fileprivate static var usual: [Contest] {
    [
      .set(200_000), .wake(20_000), .followedSet(200_000), .followed(20_000), .readOutside(500_000),
      .readInside(50_000),
      .create(100_000),
      .cancel(10_000), .cancel(100_000), .trap(rows: 1_000, 200), .mount(byID: false), .mount(byID: true),
      .bump(2_000, byID: false),
      .bump(2_000, byID: true), .typingInString(100_000), .typingInLines(100_000), .inPlace(20_000),
      .host(2_000),
    ] + values(2_000) + board(20)
  }

  /// The most frequent operations of an app, repeated so that all take a few minutes in an unoptimised build.
  fileprivate static var few: [Contest] {
    [
      .set(5_000), .wake(1_000), .readOutside(20_000), .readInside(5_000), .create(5_000),
      .trap(rows: 100, 100), .typingInLines(500), .inPlace(200),
    ] + values(200) + board(3) + Graph.shapes.prefix(2).map { graph($0, recomputations: 600) }
  }
}
