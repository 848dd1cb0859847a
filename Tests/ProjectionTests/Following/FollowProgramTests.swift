import EventLog
import Foundation
import LogGenerator
import Testing

@testable import Projection

/// Random programs of several actors with followed and recorded objects. The log must have each set that a program knows to have
/// made, in order, with its value and its action, and no view may show anything else than what is.
///
/// `REPLAY_PROGRAMS` plays another number of programs, `TEST_SEED` from another seed.
@Suite struct FollowProgramTests {
  static let programs: Int = {
    let environment = ProcessInfo.processInfo.environment
    return environment["REPLAY_PROGRAMS"].flatMap { Int($0) } ?? (environment["CI"] == nil ? 100 : 1_000)
  }()

  @Test(.enabled(if: FollowingWay.best == .exact))
  func everySetOfAFollowedObjectIsInTheLogAndNoViewIsStale() async throws {
    let first = testSeed()
    for number in 0..<Self.programs {
      let program = FollowProgram(seed: first &+ UInt64(number))
      let wrong = try await Self.play(program)
      if wrong.isEmpty { continue }
      let (shrunk, shown) = try await shrink(program, wrong)
      Issue.record(
        """
        TEST_SEED=\(first), program \(number) of \(Self.programs):
        \(shown.prefix(12).joined(separator: "\n"))
        \(shrunk)
        """)
      return
    }
  }

  /// A smaller program that still fails in one of a few attempts, as far as one is found in a minute.
  private func shrink(_ program: FollowProgram, _ wrong: [String]) async throws -> (FollowProgram, [String]) {
    var best = (program, wrong)
    let end = ContinuousClock.now + .seconds(60)
    search: while true {
      for candidate in best.0.smaller {
        for _ in 0..<3 {
          if ContinuousClock.now > end { return best }
          let wrong = try await Self.play(candidate)
          if wrong.isEmpty { continue }
          best = (candidate, wrong)
          continue search
        }
      }
      return best
    }
  }

  /// Plays a program; returns what is wrong.
  private static func play(_ program: FollowProgram) async throws -> [String] {
    let place = try LogPlace()
    let session = try Session(recordingTo: place.url)
    let players = program.actors.indices.map { FollowPlayer($0, in: session) }
    for player in players { await player.begin() }
    await withTaskGroup(of: Void.self) { group in
      for (player, steps) in zip(players, program.actors) { group.addTask { await player.play(steps) } }
    }
    try closeAndCheck(session, place.url)
    var wrong = session.diagnostics.map(\.message)
    let recorded = try entries(of: place.url)
    for (number, player) in players.enumerated() {
      let ledger = await player.ledger
      wrong += ledger.stale
      let own = recorded.filter { $0.path.hasPrefix("box\(number)") || $0.path.hasPrefix("crate\(number)") }
      if own == ledger.entries { continue }
      let index = zip(own, ledger.entries).prefix { $0 == $1 }.count
      wrong.append(
        "set \(index) of actor \(number): the log has \(index < own.count ? "\(own[index])" : "nothing"), "
          + "the program made \(index < ledger.entries.count ? "\(ledger.entries[index])" : "nothing")")
    }
    return wrong
  }

  /// The changes of properties in a log, each with the whole value after it and the action that led to it.
  private static func entries(of url: URL) throws -> [FollowLedger.Entry] {
    var (state, entries) = (State(), [FollowLedger.Entry]())
    var labels: [UInt64: String] = [:]
    try LogReader(path: url.path).forEachEvent { event in
      if case .action(let label) = event.body { labels[event.seq] = label }
      guard let path = event.body.writtenPath else { return }
      try state.apply(event)
      guard case .named(let root) = path.root, let property = path.components.first, !event.body.isSameValue,
        case .property = property
      else { return }
      if case .remove = event.body { return }
      let whole = Path(root: .named(root), components: [property])
      entries.append(
        FollowLedger.Entry(
          path: "\(whole)", value: state.value(at: whole)?.json ?? "nothing",
          action: event.cause.flatMap { labels[$0] } ?? "none"))
    }
    return entries
  }
}
