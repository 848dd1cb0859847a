import BenchSupport
import Foundation
import Projection

/// The cost of driving a recording, compared with the same writes made by hand in a session that records; and
/// the resident memory while a long recording is driven.
struct DriveTable {
  static let title = "drive"
  private let rounds: Int
  private let writes: Int
  private let lifetimes: Int?
  private let only: String?

  /// - Parameters:
  ///   - rounds: How often each is measured.
  ///   - writes: How many writes of each kind.
  ///   - lifetimes: How many writes the recording has whose memory is measured; nil for no such measurement.
  ///   - only: Measures the kinds whose names contain this; nil for all kinds, and the other measurements.
  init(rounds: Int, writes: Int, lifetimes: Int?, only: String? = nil) {
    self.rounds = rounds
    self.writes = writes
    self.lifetimes = lifetimes
    self.only = only
  }

  func run() throws {
    print("\n\(Self.title): ns a write, by hand and driven")
    for work in DrivenWork.all where only.map(work.name.contains) ?? true {
      var (hand, driven): ([Double], [Double]) = ([], [])
      for round in 0...rounds {
        let times = try measure(work, writes)
        // The first round is not counted.
        if round == 0 { continue }
        hand.append(times.hand)
        driven.append(times.driven)
      }
      let ratios = zip(driven, hand).map { $0 / $1 }
      print(
        "  \(work.name.padded(to: 44)) \(hand.median.short), \(driven.median.short)"
          + "   ratio \(ratios.median.short) (\((ratios.min() ?? 0).short)–\((ratios.max() ?? 0).short))")
    }
    if only != nil { return }
    try measureAttach(writes)
    if let lifetimes { try measureMemory(lifetimes) }
  }

  private func measure(_ work: DrivenWork, _ count: Int) throws -> (hand: Double, driven: Double) {
    var (hand, driven) = (0.0, 0.0)
    try record { desk, session in
      Self.mount(desk, in: session)
      hand = Self.nanoseconds { for number in 0..<count { work.write(desk, number) } }
    } drive: { drive in
      Self.mount(try drive.attach(Desk.self, root: "desk"), in: drive.session)
      driven = try Self.nanoseconds { try drive.run() }
    }
    return (hand / Double(count), driven / Double(count))
  }

  /// How long it takes to create the model of a recording with this many writes. The model is the recording's
  /// first event.
  private func measureAttach(_ count: Int) throws {
    var times: [Double] = []
    for _ in 0..<rounds {
      try record { desk, _ in
        for number in 0..<count { desk.count = number }
      } drive: { drive in
        times.append(try Self.nanoseconds { _ = try drive.attach(Desk.self, root: "desk") })
      }
    }
    print("  attached before \(count.grouped) writes: \((times.median / 1_000_000).short) ms")
  }

  /// The resident memory after a tenth of a long recording, and at its end.
  private func measureMemory(_ count: Int) throws {
    try record { desk, session in
      for number in 0..<count {
        switch number % 20 {
        case 0: desk.cards.append(Card(id: number))
        case 10 where desk.cards.count > 100: desk.cards.removeFirst()
        default: desk.count = number
        }
        if number == count / 10 { session.mark("early") }
      }
    } drive: { drive in
      _ = try drive.attach(Desk.self, root: "desk")
      try drive.run(through: "mark:early")
      let before = residentBytes()
      try drive.run()
      let after = residentBytes()
      print(
        "  \(count.grouped) writes driven: resident MiB after a tenth \((Double(before) / 1_048_576).short),"
          + " at the end \((Double(after) / 1_048_576).short)")
    }
  }

  /// Records edits of a desk, and drives that recording.
  private func record(
    _ body: (Desk, Session) throws -> Void, drive: (Drive) throws -> Void
  ) throws {
    let folder = FileManager.default.temporaryDirectory
    let recorded = folder.appending(path: "drive-\(UUID().uuidString).evlog")
    let driven = folder.appending(path: "drive-\(UUID().uuidString).evlog")
    defer { for url in [recorded, driven] { try? FileManager.default.removeItem(at: url) } }
    let session = try Session(recordingTo: recorded)
    let desk = Desk()
    session.attach(desk, as: "desk")
    try body(desk, session)
    try session.close()
    let driving = try Drive(Recording(recorded), recordingTo: driven)
    try drive(driving)
    if let problem = driving.problems.first { print("bench: \(problem)") }
    try driving.session.close()
  }

  private static func mount(_ desk: Desk, in session: Session) {
    session.projection("Count") { _ in desk.count }
    session.projection("Cards") { _ in desk.cards.count }
  }

  private static func nanoseconds(_ body: () throws -> Void) rethrows -> Double {
    let duration = try ContinuousClock().measure(body)
    return duration / .nanoseconds(1)
  }
}

/// A kind of write.
private struct DrivenWork: Sendable {
  let name: String
  let write: @Sendable (Desk, Int) -> Void

  /// Every kind, and a session of all kinds.
  static let all =
    kinds + [
      DrivenWork(name: "all of these by turns") { kinds[$1 % kinds.count].write($0, $1) }
    ]

  private static let kinds = [
    DrivenWork(name: "an Int that nothing reads") { $0.other = $1 },
    DrivenWork(name: "an Int that a projection reads") { $0.count = $1 },
    DrivenWork(name: "a short text") { $0.title = "title \($1)" },
    DrivenWork(name: "a field of a struct") { $0.frame.x = Double($1) },
    DrivenWork(name: "a field of an element of a RecordedArray") { $0.notes[$1 % 100].stars = $1 },
    DrivenWork(name: "a property of an object in a RecordedArray") { $0.cards[$1 % 100].rank = $1 },
    DrivenWork(name: "append and remove an object") { desk, number in
      desk.cards.append(Card(id: 1_000 + number))
      desk.cards.remove(at: 100)
    },
  ]
}

@Recorded private final class Desk {
  var count = 0
  var other = 0
  var title = ""
  var frame = Frame()
  var notes = RecordedArray((0..<100).map { Note(id: $0) })
  var cards = RecordedArray((0..<100).map { Card(id: $0) })
}

@Recorded private final class Card: Identifiable {
  let id: Int
  var rank = 0

  init(id: Int) { self.id = id }
}

private struct Note: Codable, Equatable, Identifiable {
  var id: Int
  var stars = 0
}

private struct Frame: Codable, Equatable {
  var x = 0.0
  var y = 0.0
}

extension [Double] {
  fileprivate var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}
