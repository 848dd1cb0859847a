import Projection
import ReplayUI
import SwiftUI
import Testing

/// Random use of an app: the log has every body that the host runs, and no other.
@MainActor @Suite struct OracleTests {
  enum Action: CaseIterable {
    case count, sameCount, text, old, sameOld, title, done, swap, insert, remove, scroll, forget, toggle,
      renew
    case transaction, frame
  }

  @Test(arguments: 0..<20) func theLogHasEveryRunOfABodyAndNoOther(seed: UInt64) throws {
    var random = SeededNumbers(seed: seed)
    let actions = (0..<40).map { _ in (Action.allCases.randomElement(using: &random)!, random.next()) }
    guard var failure = try difference(actions) else { return }
    // Leave out the actions that the failure does not need.
    var needed = actions
    for position in actions.indices.reversed() {
      var fewer = needed
      fewer.remove(at: position)
      if let found = try difference(fewer) { (needed, failure) = (fewer, found) }
    }
    Issue.record("seed \(seed): \(needed.map(\.0)): \(failure)")
  }

  /// The difference between the log and the runs; nil if there is none.
  private func difference(_ actions: [(Action, UInt64)]) throws -> String? {
    let (store, inbox, old, tally) = (Store(count: 4), Inbox(), OldInbox(), Tally())
    var runs: [String: Int] = [:]
    var handedIn: [String: [Handing: Int]] = [:]
    let log = try RecordedLog { session in
      session.attach(store, as: "store")
      session.attach(inbox, as: "inbox")
      let view = MixedScreen(store: store, inbox: inbox, old: old, tally: tally)
      let host = Host(view.recorded(by: session))
      for (action, number) in actions {
        perform(action, Int(number % 4), store, inbox, old, session, host)
        if number % 3 > 0 { host.update() }
      }
      host.update()
      (runs, handedIn) = (host.bodyRuns, host.handedIn)
    }
    // A scope with another id begins before the last one ends, so that it is `Count#2`.
    let logged = Dictionary(
      log.evaluations.map { name, count in
        (["Count", "Inner"].first { name.hasPrefix("\($0)#") } ?? name, count)
      }, uniquingKeysWith: +)
    if logged != tally.counts { return "logged \(logged), ran \(tally.counts)" }
    let bodies = (runs["ScopeView"] ?? 0) + (runs["RecordedBody"] ?? 0)
    let total = log.evaluations.values.reduce(0, +)
    if total != bodies { return "logged \(total), the host ran \(bodies)" }
    return difference(in: log, from: handedIn)
  }

  /// The difference between the inputs in the log and those that the host found; nil if there is none.
  private func difference(in log: RecordedLog, from handedIn: [String: [Handing: Int]]) -> String? {
    func runs(_ type: String, _ kind: Handing) -> Int { handedIn[type]?[kind] ?? 0 }
    let (unknown, changed) = (log.runs(handed: nil), log.runs(handed: true))
    // All inputs of these views can be compared. A body also runs without its parent, and then its input is
    // the same.
    for (name, type) in [("ListScreen", "ListScreen"), ("ItemRow", "ItemRow"), ("Mark", "ItemMark")] {
      let logged = [unknown[name] ?? 0, changed[name] ?? 0]
      let found = [runs(type, .first), runs(type, .different)]
      if logged != found {
        return "\(name): handed in the first time and others \(logged), the host \(found)"
      }
    }
    // Scopes get closures: if the host considers them different, the log cannot know whether they are.
    let scopes = ["Old", "Count", "Inner"]
    let (logged, found) = (
      [unknown, changed].map { runs in scopes.map { runs[$0] ?? 0 }.reduce(0, +) },
      [runs("ScopeView", .first) + runs("ScopeView", .different), 0]
    )
    return logged == found ? nil : "scopes: handed in unknown and others \(logged), the host \(found)"
  }

  private func perform(
    _ action: Action, _ number: Int, _ store: Store, _ inbox: Inbox, _ old: OldInbox, _ session: Session,
    _ host: Host
  ) {
    let (items, position) = (store.items, min(number, store.items.count - 1))
    switch action {
    case .count: inbox.count += 1
    case .sameCount: inbox.count += 0
    case .text: inbox.text += "a"
    case .old: old.count += 1
    case .sameOld: old.count += 0
    case .title: if position >= 0 { items[position].title += "." }
    case .done: if position >= 0 { items[position].isDone.toggle() }
    case .swap: if position > 0 { store.items.swapAt(0, position) }
    case .insert: store.items.insert(Item(id: nextID(in: store), title: "new"), at: max(0, position))
    case .remove: if position >= 0 { store.items.remove(at: position) }
    case .scroll: host.rowsOnScreen = number == 0 ? nil : number..<(number + 2)
    case .forget: host.forgetHiddenRows()
    case .toggle: host.press("toggle")
    case .renew: host.press("renew")
    case .transaction:
      session.transaction("change") {
        inbox.count += 1
        if position >= 0 { store.items[position].title += "!" }
        inbox.count -= 1
      }
    case .frame: host.update()
    }
  }

  private func nextID(in store: Store) -> Int { (store.items.map(\.id).max() ?? 0) + 1 }
}

/// SplitMix64.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
