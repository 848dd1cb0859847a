import EventLog
import Foundation
import LogGenerator
import ReplayAnalysis
import Testing

/// The results for a run while it goes on, compared with the results when it is over.
@Suite struct ServeLiveTests {
  /// A file of columns of bytes, and its header.
  private struct Columns {
    var header: [String: Any] = [:]
    var bytes: [String: ArraySlice<UInt8>] = [:]

    init(_ file: [UInt8]) throws {
      let size = (0..<4).reduce(0) { $0 | Int(file[$1]) << (8 * $1) }
      let directory = try #require(
        try JSONSerialization.jsonObject(with: Data(file[4..<(4 + size)])) as? [String: Any])
      header = try #require(directory["header"] as? [String: Any])
      var start = 4 + size
      for column in try #require(directory["columns"] as? [[String: Any]]) {
        let count = try #require(column["count"] as? Int)
        let width = try #require(["u8": 1, "u32": 4, "u64": 8, "d64": 8][column["form"] as? String ?? ""])
        bytes[try #require(column["name"] as? String)] = file[start..<(start + count * width)]
        start += count * width
      }
      #expect(start == file.count)
    }

    func part(_ axis: String, _ kind: String) throws -> [String: Int] {
      try #require((header[axis] as? [String: Any])?[kind] as? [String: Int])
    }

    /// As bytes: two names with different bytes may be equal in Swift.
    func names(_ kind: String) -> [[UInt8]] { (header[kind] as? [String] ?? []).map { Array($0.utf8) } }
  }

  /// It cannot be copied, and so cannot be in an optional variable.
  private final class Held {
    var live: LiveReport

    init(_ path: String) throws { live = try LiveReport(LogSource(path: path)) }

    func goOn(by most: Int = 1000) throws {
      while try live.advance(atMost: most) > 0 {}
    }
  }

  private func object(_ bytes: [UInt8]) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
  }

  /// Commands name the log; a page that is shared names it without its folder.
  private func removeCommands(from report: inout [String: Any]) throws {
    var lint = try #require(report["lint"] as? [String: Any])
    var findings = try #require(lint["findings"] as? [[String: Any]])
    for index in findings.indices { findings[index]["what_if"] = nil }
    lint["findings"] = findings
    var account = try #require(lint["account"] as? [String: Any])
    for key in ["lines", "write_lines"] {
      let lines = try #require(account[key] as? [[String: Any]])
      account[key] = lines.map { $0.filter { !["command", "why"].contains($0.key) } }
    }
    lint["account"] = account
    report["lint"] = lint
  }

  /// Compares the results that were found step by step with those that a report finds in one pass.
  private func compare(_ live: inout LiveReport, with path: String, _ note: Comment) throws {
    let log = try LogSource(path: path)
    let whole = try RunReport(log, .init(hasValues: true, budget: 1 << 30)) { $0 }
    var wanted = try object(try #require(whole.chunks.first).packed)
    var found = try object(try live.chunks().report)
    let examples = try #require(found["sights"] as? [[String: Any]])
    let sights = try #require(wanted["sights"] as? [[String: Any]])
    // The positions of the worst of each; the distribution over the run depends on the length that was known
    // of it.
    for key in ["worst_seq", "worst_time_ns"] {
      // A cascade of a random run may take longer than an Int can say.
      #expect(examples.map { $0[key] as? UInt64 } == sights.map { $0[key] as? UInt64 }, note)
      #expect(!examples.contains { $0[key] as? UInt64 == nil }, note)
    }
    // It leaves out the parts that can be requested, and how the file was closed. It names the log by its
    // path.
    for key in ["states", "chains", "slices", "why_count", "advice", "sights", "info", "log"] {
      wanted[key] = nil
      found[key] = nil
    }
    try removeCommands(from: &wanted)
    try removeCommands(from: &found)
    #expect(wanted.count > 15, note)
    #expect(NSDictionary(dictionary: found) == NSDictionary(dictionary: wanted), note)
    let lines = try #require((found["cascades"] as? [String: Any])?["cascades"] as? [[String: Any]])
    #expect(examples.count == lines.count)
    for (line, sight) in zip(lines, examples) {
      let spread = try #require(sight["spread"] as? [Int])
      #expect(spread.reduce(0, +) == line["count"] as? Int, note)
      #expect(spread.count <= 64 && spread.count >= 1)
      // The example run of a node is a run of a projection with that name.
      #expect((sight["examples"] as? [Int])?.first == 0)
    }
  }

  @Test func aRunFollowedStepByStepIsTheRunAsAWhole() throws {
    for trial in 0..<12 {
      let seed = testSeed(trial: trial)
      let note: Comment = "TEST_SEED=\(seed)"
      var random = SplitMix64(seed: seed)
      let workspace = try Workspace()
      var session = ValidSession(seed: random.next())
      let path = workspace.file("run.evlog")
      var options = LogOptions()
      options.blockEvents = Int.random(in: 1...50, using: &random)
      let writer = try LogWriter(creating: path, options: options)
      try writer.ensure(.written)
      var held: Held?
      for event in session.events(Int.random(in: 40...400, using: &random)) {
        try writer.append(event)
        guard Int.random(in: 0..<20, using: &random) == 0 else { continue }
        try writer.ensure(.written)
        let followed = try held ?? Held(path)
        held = followed
        try followed.goOn(by: Int.random(in: 1...60, using: &random))
        let last = followed.live.lastSeq
        #expect(last == event.seq, note)
        if Bool.random(using: &random) { try compare(&followed.live, with: path, note) }
      }
      try writer.close()
      let followed = try held ?? Held(path)
      try followed.goOn()
      let (state, isReplaced) = (followed.live.state, followed.live.isReplaced())
      #expect(state == .clean && !isReplaced, note)
      try compare(&followed.live, with: path, note)
    }
  }

  @Test func aTileIsWhatChangedOfTheOverview() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    var session = ValidSession(seed: random.next())
    let path = workspace.file("run.evlog")
    let writer = try LogWriter(creating: path)
    var held: Held?
    var base: Columns?
    var tiles = 0
    for var event in session.events(1500) {
      // Times must ascend: an event that is earlier than the previous one is reported only with all events.
      event.time = event.seq * 50_000
      try writer.append(event)
      guard event.seq % 50 == 0 else { continue }
      try writer.ensure(.written)
      let followed = try held ?? Held(path)
      held = followed
      try followed.goOn()
      let tile = try followed.live.tile().map { try Columns($0) }
      let now = try Columns(try followed.live.chunks().overview)
      defer { base = now }
      guard let base, let tile else { continue }
      // A new order of lanes is reported only with all of them.
      for kind in ["projections", "paths", "writes", "marks", "actions"]
      where base.names(kind) == now.names(kind) {
        for axis in ["events", "time"] {
          let (part, before, after) = (
            try tile.part(axis, kind), try base.part(axis, kind), try now.part(axis, kind)
          )
          guard let from = part["from"], let end = part["end"], let old = before["bins"],
            let new = after["bins"]
          else {
            Issue.record("no bins")
            continue
          }
          tiles += 1
          for measure in ["count", "wasted"] {
            let name = "\(axis).\(kind).\(measure)"
            let (a, b, c) = (
              Array(base.bytes[name] ?? []), Array(tile.bytes[name] ?? []), Array(now.bytes[name] ?? [])
            )
            for lane in 0..<(["projections", "paths"].contains(kind) ? now.names(kind).count : 1) {
              var row = Array(a[(lane * old)..<((lane + 1) * old)].prefix(end))
              row += repeatElement(0, count: max(0, end - row.count))
              row.replaceSubrange(from..<end, with: b[(lane * (end - from))..<((lane + 1) * (end - from))])
              let wanted = Array(c[(lane * new)..<((lane + 1) * new)])
              let wantedRow = wanted.prefix(end) + repeatElement(0, count: max(0, end - wanted.count))
              #expect(row.elementsEqual(wantedRow), "TEST_SEED=\(seed) \(name) \(lane)")
              #expect(wanted.dropFirst(end).allSatisfy { $0 == 0 }, "TEST_SEED=\(seed) \(name) \(lane)")
            }
          }
        }
      }
    }
    #expect(tiles > 20)
    try writer.close()
  }

  @Test func aTileIsSmallWhereNothingWasCountedInALongRun() throws {
    let workspace = try Workspace()
    let path = workspace.file("run.evlog")
    let writer = try LogWriter(creating: path)
    let minute: UInt64 = 60_000_000_000
    for time in [0, minute] { try writer.append(.mark(label: "x"), time: time) }
    try writer.ensure(.written)
    let followed = try Held(path)
    try followed.goOn()
    _ = try followed.live.chunks()
    try writer.append(.mark(label: "x"), time: minute + minute / 60)
    try writer.ensure(.written)
    try followed.goOn()
    // Only marks have wide bins; those of runs and writes, of which there are none, are a nanosecond wide.
    let tile = try #require(try followed.live.tile())
    #expect(tile.count < 10_000)
    let columns = try Columns(tile)
    #expect(columns.bytes["time.marks.count"]?.contains(1) == true)
    #expect(columns.bytes["time.writes.count"]?.isEmpty == true)
    try writer.close()
  }

  @Test func eventsOneByOneAreThoseOfTheRange() throws {
    let workspace = try Workspace()
    let path = workspace.file("run.evlog")
    let writer = try LogWriter(creating: path)
    for number in 1...100 { try writer.append(.mark(label: "\(number)"), time: UInt64(number)) }
    try writer.close()
    let log = try LogSource(path: path)
    for (range, first, count) in [(0..<4096, 1, 100), (7..<9, 7, 2), (90..<200, 90, 11), (500..<600, 500, 0)]
    {
      let columns = try Columns(try log.columns(of: UInt64(range.lowerBound)..<UInt64(range.upperBound)))
      #expect(columns.header["first_seq"] as? Int == first && columns.bytes["kind"]?.count == count)
    }
  }

  @Test func aLogThatIsOverwrittenIsSeenToBeAnother() throws {
    let workspace = try Workspace()
    let path = workspace.file("run.evlog")
    func record() throws {
      var options = LogOptions()
      options.replacesExisting = true
      let writer = try LogWriter(creating: path, options: options)
      try writer.append(.mark(label: "x"), time: 1)
      try writer.close()
    }
    try record()
    let live = try LiveReport(LogSource(path: path))
    let before = live.isReplaced()
    try record()
    let after = live.isReplaced()
    #expect(!before && after)
  }
}
