import EventLog

/// The actions to which something may belong by construction, the nearest first. There are several such chains only where
/// events of several actions were delivered as one.
struct ActorWhy: Hashable, Sendable {
  var chains: Set<[String]>

  /// Outside of any action.
  static let none = ActorWhy(chains: [[]])

  func within(_ action: String) -> ActorWhy { ActorWhy(chains: Set(chains.map { [action] + $0 })) }

  func or(_ other: ActorWhy?) -> ActorWhy { ActorWhy(chains: chains.union(other?.chains ?? [])) }
}

/// What all actors of a program count and report together.
final class ActorLedger: Sendable {
  /// An action, a transaction or a mark, as it was made.
  struct Entry: Sendable {
    var place: ActorPlace?
    var why: ActorWhy
    /// The transactions that its own code had open, the outermost first.
    var transactions: [String]
  }

  private struct State {
    var values = 0
    var wrong: [String] = []
    var isEnding = false
    var entries: [String: Entry] = [:]
  }

  // The thread sanitizer does not see a `Mutex` of the standard library.
  private let state = Lock(State())

  /// A number that no other write of the program has.
  func newValue() -> Int {
    state.withLock {
      $0.values += 1
      return $0.values
    }
  }

  /// The number of values made so far.
  var values: Int { state.withLock { $0.values } }

  /// A label that nothing else in the program has.
  func newLabel(_ kind: String, _ entry: Entry) -> String {
    state.withLock {
      let label = "\(kind) \($0.entries.count + 1)"
      $0.entries[label] = entry
      return label
    }
  }

  /// Called before the session is closed.
  func end() { state.withLock { $0.isEnding = true } }

  var isEnding: Bool { state.withLock { $0.isEnding } }

  var entries: [String: Entry] { state.withLock { $0.entries } }

  func report(_ wrong: String) {
    state.withLock { if $0.wrong.count < 20 { $0.wrong.append(wrong) } }
  }

  var wrong: [String] { state.withLock { $0.wrong } }
}
