import EventLog
import Foundation
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// The cause chains of the runs in a page are those that `why` prints.
@Suite struct ReportChainsTests {
  private static let samples = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../SampleLogs").standardized.path

  private static func sampleNames() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: samples).filter { $0.hasSuffix(".evlog") }.sorted()
  }

  private func log(
    _ count: Int, in workspace: Workspace, _ random: inout SplitMix64, name: String = "run"
  ) throws -> LogSource {
    var session = ValidSession(seed: random.next())
    var options = LogOptions()
    options.blockEvents = 16
    options.checkpointEvents = 64
    let path = workspace.file("\(name).evlog")
    let writer = try LogWriter(creating: path, options: options)
    for event in session.events(count) { try writer.append(event) }
    try writer.close()
    return try LogSource(path: path)
  }

  private func page(_ log: LogSource, budget: Int = 100_000_000) throws -> Page {
    try Page(try RunReport(log, .init(hasValues: false, budget: budget)) { $0 })
  }

  /// Compares some chains of a page, or all, with what `why` finds; returns how many.
  private func compare(_ chains: [Chains], _ log: LogSource, every step: Int = 1, _ hint: String) throws
    -> Int
  {
    var count = 0
    for chain in chains {
      for (seq, head) in chain.runs(in: log).enumerated().filter({ $0.offset % step == 0 }).map(\.element)
      where head != 0 {
        let name = try #require(log.projection(runningAt: seq))
        let wanted = try WhyChain(of: name, at: .seq(seq), in: log, keeping: .page)
        let found = chain.steps(from: head)
        #expect(
          isSame(found, Array(wanted.steps.dropFirst()), chain, log),
          "\(hint): \(name) at event \(seq)\n\(found)\n\(wanted.steps)")
        let others = chain.header.superseded.first { $0.seq == seq }
        let wantedOthers = wanted.steps.dropFirst().first?.others
        #expect(others?.nodes.count == wantedOthers?.count, "\(hint): \(name) at event \(seq)")
        #expect(
          others?.more == wanted.steps.dropFirst().first?.moreOthers, "\(hint): \(name) at event \(seq)")
        for (node, other) in zip(others?.nodes ?? [], wantedOthers ?? []) {
          var first = other
          first.because = nil
          #expect(
            isSame(chain.steps(from: node), [first] + (other.because ?? []), chain, log),
            "\(hint): \(name) at event \(seq), for event \(other.seq ?? 0) too")
        }
        count += 1
      }
    }
    return count
  }

  private func isSame(_ found: [Chains.Found], _ wanted: [WhyStep], _ chains: Chains, _ log: LogSource)
    -> Bool
  {
    found.count == wanted.count
      && zip(found, wanted).allSatisfy { found, wanted in
        let step = found.step
        guard step.kind == wanted.kind.rawValue, found.seq == wanted.seq ?? 0,
          (step.because == nil) == (wanted.because == nil)
        else { return false }
        if let node = step.because, !isSame(chains.steps(from: node), wanted.because ?? [], chains, log) {
          return false
        }
        let event = log.event(found.seq)
        let names = [
          step.projection ?? (wanted.kind == .evaluation ? event?.body.projectionName : nil), step.parent,
          step.path ?? (wanted.kind == .write ? event?.body.writtenPath?.description : nil), step.text,
          step.writer, step.site, step.transaction?.first, step.transactionSite,
        ]
        let others: [String?] = [
          wanted.projection, wanted.parent, wanted.path, wanted.text, wanted.writer,
          wanted.site?.siteForReport,
          wanted.transaction?.wrappedValue, wanted.transactionSite?.siteForReport,
        ]
        return names == others.map { $0?.cutForReport }
          && (step.transaction == nil) == (wanted.transaction == nil)
          && [step.offset, step.delete, step.omitted] == [wanted.offset, wanted.delete, wanted.omitted]
      }
  }

  @Test(arguments: try sampleNames()) func everyRunOfASampleHasTheChainThatWhyPrints(name: String) throws {
    let log = try LogSource(path: "\(Self.samples)/\(name)")
    let page = try page(log)
    #expect(page.main.chains == page.main.slices)
    let all = page.chains.reduce(0) { $0 + $1.runs(in: log).count }
    let known = page.chains.reduce(0) { $0 + $1.runs(in: log).count { $0.head != 0 } }
    #expect(known == all, "\(all - known) of \(all) have none")
    // Some runs of a sample that has many, unless all are asked for.
    let step = ProcessInfo.processInfo.environment["ALL_CHAINS"] == nil ? max(1, all / 24) : 1
    #expect(try compare(page.chains, log, every: step, name) > 0)
  }

  @Test func everyRunOfRandomSessionsHasTheChainThatWhyPrints() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    var count = 0
    for number in 0..<100 {
      let log = try log(Int.random(in: 40...160, using: &random), in: workspace, &random, name: "\(number)")
      let page = try page(log)
      for chain in page.chains {
        #expect(chain.runs(in: log).allSatisfy { $0.head != 0 }, "TEST_SEED=\(seed): session \(number)")
      }
      count += try compare(page.chains, log, "TEST_SEED=\(seed): session \(number)")
    }
    #expect(count > 100, "TEST_SEED=\(seed): \(count)")
  }

  /// The causes of some runs lie outside of what the page has or outside of what was read for it.
  @Test(arguments: [10_000, 30_000, 100_000]) func aPageWithLittleRoomHasTheChainThatWhyPrintsOrNone(
    budget: Int
  )
    throws
  {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    let log = try log(1200, in: workspace, &random)
    let page = try page(log, budget: budget)
    _ = try compare(page.chains, log, every: 4, "TEST_SEED=\(seed)")
  }

  @Test func aStretchInTheMiddleOfALogHasTheChainsThatWhyPrintsOrNone() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    let log = try log(6000, in: workspace, &random)
    let slices: [Range<UInt64>] = [5000..<5300, 5300..<5500]
    let chains = try ReportChains(slices, of: log, ReportNames(hasNames: true), eventsMax: 1 << 20) { seq in
      slices.contains { $0.contains(seq) }
    }
    #expect(chains.files.map(\.seqs) == slices)
    let count = try compare(chains.files.map { try Chains($0.bytes) }, log, every: 2, "TEST_SEED=\(seed)")
    #expect(count > 0, "TEST_SEED=\(seed)")
  }

  /// A run that is delayed follows several events, the last of which is its cause.
  @Test func otherCausesOfARunAreThereToo() throws {
    let workspace = try Workspace()
    let path = try workspace.log(
      """
      {"kind":"set","path":"store","value":{"$object":"S","x":1,"y":1}}
      {"kind":"projection","projection":"P","tracking":"element"}
      {"kind":"reads","projection":"P","paths":["store.x","store.y"]}
      {"kind":"evaluate","projection":"P","duration_ns":5}
      {"kind":"set","path":"store.x","value":2}
      {"kind":"set","path":"store.y","value":2}
      {"kind":"evaluate","projection":"P","duration_ns":5,"cause":6,"changed":true}
      """, "run.evlog")
    let log = try LogSource(path: path)
    let chains = try page(log).chains
    #expect(try compare(chains, log, "") == 2)
    let others = try #require(chains.first?.header.superseded.first)
    #expect(others.seq == 7 && chains[0].steps(from: others.nodes[0]).map(\.seq) == [5, 5])
  }

  /// Each run sets what the next one reads, so that a chain grows by a link with each: the page has those of a length that
  /// can be read, and leaves the others out.
  @Test func aRunWithThousandsOfCausesBehindItHasNoChainAndThoseBeforeItHave() throws {
    let workspace = try Workspace()
    let links = (0..<1200).map { number in
      """
      {"kind":"set","path":"store.x","value":\(number),"cause":\(number == 0 ? 0 : 4 + 2 * number)}
      {"kind":"evaluate","projection":"P","duration_ns":5,"cause":\(5 + 2 * number),"changed":true}
      """.replacing(",\"cause\":0", with: "")
    }
    let path = try workspace.log(
      """
      {"kind":"set","path":"store","value":{"$object":"S","x":-1}}
      {"kind":"projection","projection":"P","tracking":"element"}
      {"kind":"reads","projection":"P","paths":["store.x"]}
      {"kind":"evaluate","projection":"P","duration_ns":5}
      \(links.joined(separator: "\n"))
      """, "run.evlog")
    let log = try LogSource(path: path)
    let chains = try page(log).chains
    let known = chains.flatMap { $0.runs(in: log) }.map { $0.head != 0 }
    #expect(known.count == 1201 && known.prefix(500).allSatisfy(\.self))
    #expect(!known.suffix(600).contains(true))
    #expect(try compare(chains, log, every: 97, "") > 4)
  }

  @Test func aPageWithoutNamesHasThemInNoChain() throws {
    let workspace = try Workspace()
    let path = try workspace.log(
      """
      {"kind":"set","path":"secret","value":{"$object":"S","x":1}}
      {"kind":"projection","projection":"SecretView","tracking":"element"}
      {"kind":"reads","projection":"SecretView","paths":["secret.x"]}
      {"kind":"evaluate","projection":"SecretView","duration_ns":5}
      {"kind":"action","label":"secret tap"}
      {"kind":"set","path":"secret.x","value":2,"cause":5,"site":"Secret.swift:1"}
      {"kind":"evaluate","projection":"SecretView","duration_ns":5,"cause":6,"changed":true}
      """, "run.evlog")
    let report = try RunReport(
      LogSource(path: path), .init(hasValues: false, hasNames: false, budget: 1_000_000)
    ) { $0 }
    for chunk in report.chunks {
      let text = String(decoding: chunk.packed, as: UTF8.self).lowercased()
      #expect(!text.contains("secret"), "\(chunk.name)")
    }
    let steps = try Page(report).chains.flatMap { $0.steps(from: $0.heads[6]) }
    #expect(
      steps.map(\.step.kind) == ["invalidation", "write", "origin"] && steps[2].step.text == "an action")
  }
}

/// What these tests read of a page.
private struct Page {
  struct Main: Decodable {
    var slices: [[UInt64]]
    var chains: [[UInt64]]
  }

  let main: Main
  let chains: [Chains]

  init(_ report: RunReport) throws {
    let main = try JSONDecoder().decode(Main.self, from: Data(report.chunks[0].packed))
    self.main = main
    chains = try main.chains.map { range in
      try Chains(try #require(report.chunks.first { $0.name == "chains-\(range[0])" }).packed)
    }
  }
}

/// A file of chains, read by the rule in the source of `ReportColumns` alone.
private struct Chains {
  struct Step: Decodable {
    var kind: String
    var projection: String?
    var parent: String?
    var path: String?
    var text: String?
    var writer: String?
    var site: String?
    var transaction: [String]?
    var transactionSite: String?
    var offset: Int?
    var delete: Int?
    var omitted: Int?
    var because: UInt32?

    enum CodingKeys: String, CodingKey {
      case kind, projection, parent, path, text, writer, site, transaction
      case transactionSite = "transaction_site"
      case offset, delete, omitted, because
    }
  }

  struct Others: Decodable {
    var seq: UInt64
    var nodes: [UInt32]
    var more: Int?
  }

  struct Header: Decodable {
    var first_seq: UInt64
    var steps: [Step]
    var superseded: [Others]
  }

  struct Found {
    var seq: UInt64
    var step: Step
  }

  private struct Directory: Decodable {
    struct Column: Decodable {
      var name: String
      var form: String
      var count: Int
    }

    var columns: [Column]
    var header: Header
  }

  let header: Header
  let heads: [UInt32]
  private let seqs: [UInt64]
  private let steps: [UInt32]
  private let next: [UInt32]

  init(_ bytes: [UInt8]) throws {
    let size = bytes.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    let directory = try JSONDecoder().decode(Directory.self, from: Data(bytes[4..<(4 + size)]))
    var columns: [String: [UInt64]] = [:]
    var start = 4 + size
    for column in directory.columns {
      let width = column.form == "u32" ? 4 : 8
      var numbers = (0..<column.count).map { index in
        (0..<width).reversed().reduce(UInt64(0)) {
          $0 << 8 | UInt64(bytes[start + column.count * $1 + index])
        }
      }
      if column.form == "d64" {
        var last: UInt64 = 0
        for index in numbers.indices {
          last = numbers[index] & 1 == 1 ? last - numbers[index] >> 1 : last + numbers[index] >> 1
          numbers[index] = last
        }
      }
      columns[column.name] = numbers
      start += width * column.count
    }
    header = directory.header
    heads = try #require(columns["head"]).map { UInt32($0) }
    seqs = try #require(columns["seq"])
    steps = try #require(columns["step"]).map { UInt32($0) }
    next = try #require(columns["next"]).map { UInt32($0) }
  }

  func runs(in log: LogSource) -> [(seq: UInt64, head: UInt32)] {
    heads.enumerated().compactMap { index, head in
      let seq = header.first_seq + UInt64(index)
      return log.projection(runningAt: seq) == nil ? nil : (seq, head)
    }
  }

  /// 1 is the end; the nodes come after it.
  func steps(from node: UInt32) -> [Found] {
    var found: [Found] = []
    var node = Int(node)
    while node > 1 {
      found.append(Found(seq: seqs[node - 2], step: header.steps[Int(steps[node - 2])]))
      node = Int(next[node - 2])
    }
    return found
  }
}
