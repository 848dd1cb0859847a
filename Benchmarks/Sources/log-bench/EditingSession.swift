import BenchSupport
import EventLog
import Foundation

/// A person's edits of one text, as the events that a session records of them.
struct EditingSession {
  /// Replaces bytes at an offset.
  struct Edit {
    var offset: Int
    var deleted: Int
    var inserted: String
    /// Nanoseconds since the edit before.
    var gap: UInt64
  }

  /// How fast the edits come.
  enum Pace: CaseIterable {
    /// All at the same time, to measure the size of the edits themselves.
    case none
    /// At the speed at which a program replays them.
    case replay
    /// At the speed at which the person made them.
    case person
  }

  private(set) var start = ""
  private(set) var edits: [Edit] = []

  /// The events, with each time to the nanosecond.
  func events(_ pace: Pace) -> [Event] {
    let document = Path(root: .named("document"))
    let text = document.appending(.property("text"))
    let object = ObjectDefinition(id: ObjectID(1), type: "Document", fields: ["text": .string(start)])
    var events = [Event(seq: 1, time: 0, body: .set(document, .object(object), sameValue: false))]
    var random = SplitMix64(seed: 2)
    var time: UInt64 = 0
    for edit in edits {
      switch pace {
      case .none: break
      case .replay: time += UInt64.random(in: 100_000..<500_000, using: &random)
      case .person: time += edit.gap
      }
      events.append(
        Event(
          seq: UInt64(events.count) + 1, time: time,
          body: .splice(
            text, offset: edit.offset, delete: edit.deleted, insert: .string(edit.inserted), sameValue: false)
        ))
    }
    return events
  }
}

extension EditingSession {
  /// Writes a text word by word, deletes parts of it, goes back to correct, and pauses. The same seed gives the same
  /// session.
  init(seed: UInt64, edits count: Int) {
    var random = SplitMix64(seed: seed)
    let words = Self.words(&random)
    var (length, cursor) = (0, 0)
    func key(_ offset: Int, _ deleted: Int, _ inserted: String) {
      // Some 150 ms between keys, and a pause of seconds now and then.
      var gap = UInt64.random(in: 60_000_000..<240_000_000, using: &random)
      if UInt64.random(in: 0..<40, using: &random) == 0 {
        gap += UInt64.random(in: 1_000_000_000..<30_000_000_000, using: &random)
      }
      edits.append(Edit(offset: offset, deleted: deleted, inserted: inserted, gap: gap))
      length += inserted.utf8.count - deleted
      cursor = offset + inserted.utf8.count
    }
    while edits.count < count {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<3: cursor = Int.random(in: 0...length, using: &random)
      case 3..<6: cursor = length
      case 6..<14:
        for _ in 0..<min(cursor, Int.random(in: 1...8, using: &random)) { key(cursor - 1, 1, "") }
      default:
        // The words at the front are common.
        let rank = Double.random(in: 0..<1, using: &random)
        for letter in words[Int(rank * rank * rank * Double(words.count))] + " " {
          key(cursor, 0, String(letter))
        }
      }
    }
    edits.removeLast(edits.count - count)
  }

  private static func words(_ random: inout SplitMix64) -> [String] {
    let letters = Array("eeeeeetttaaaooiinnsshhrrddllucmwfgypbvk")
    return (0..<2_000).map { number in
      let size = Int.random(in: 2...(4 + min(number / 200, 5)), using: &random)
      return String((0..<size).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] })
    }
  }

  /// Reads a trace: `{"startContent": "", "txns": [{"time": "2020-10-19T01:00:50.000Z", "patches": [[0, 0, "hi"]]}]}`,
  /// packed by gzip if its name ends in `.gz`.
  ///
  /// Its clock ticks in seconds; edits of one second are spread over it at random, to the nanosecond.
  init(trace path: String) throws {
    let trace = try JSONDecoder().decode(Trace.self, from: Self.contents(path))
    start = trace.startContent
    var random = SplitMix64(seed: 1)
    // Nil before the first edit that has a time: the edits before it are the text that the person began with.
    var last: UInt64?
    var rest = trace.txns.flatMap { txn in
      let second = txn.second
      return txn.patches.map { (second: second, patch: $0) }
    }[...]
    while let second = rest.first?.second {
      let ofOneSecond = rest.prefix { $0.second == second }
      rest = rest.dropFirst(ofOneSecond.count)
      let times = ofOneSecond.map { _ in
        second * 1_000_000_000 + UInt64.random(in: 0..<1_000_000_000, using: &random)
      }
      for (time, (_, patch)) in zip(times.sorted(), ofOneSecond) {
        let gap = last.map { time - min($0, time) } ?? 0
        edits.append(Edit(offset: patch.offset, deleted: patch.deleted, inserted: patch.inserted, gap: gap))
        if second > 0 { last = time }
      }
    }
  }

  private static func contents(_ path: String) throws -> Data {
    guard path.hasSuffix(".gz") else { return try Data(contentsOf: URL(filePath: path)) }
    let gzip = Process()
    gzip.executableURL = URL(filePath: "/usr/bin/env")
    gzip.arguments = ["gzip", "-dc", "--", path]
    let output = Pipe()
    gzip.standardOutput = output
    try gzip.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    gzip.waitUntilExit()
    guard gzip.terminationStatus == 0 else { throw BenchError("gzip cannot unpack \(path)") }
    return data
  }
}

private struct Trace: Decodable {
  struct Transaction: Decodable {
    var time: String?
    var patches: [Patch]

    /// When it was made, in seconds since 1970; 0 if the session does not have it, so that its edits have no
    /// gaps.
    var second: UInt64 {
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
      guard let time, let date = try? Date(time, strategy: style) else { return 0 }
      return UInt64(max(0, date.timeIntervalSince1970))
    }
  }

  struct Patch: Decodable {
    var offset: Int
    var deleted: Int
    var inserted: String

    init(from decoder: any Decoder) throws {
      var fields = try decoder.unkeyedContainer()
      offset = try fields.decode(Int.self)
      deleted = try fields.decode(Int.self)
      inserted = try fields.decode(String.self)
    }
  }

  var startContent: String
  var txns: [Transaction]
}
