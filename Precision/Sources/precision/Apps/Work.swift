import Synchronization

/// The time that bodies take. It is simulated, so that it is the same on a machine that does other things, too: a body says
/// what work it does, and the log gets that instead of what was measured.
///
/// A process records one app at a time.
enum Work {
  private struct State {
    /// The bodies that run now, from the outside in: the units of each.
    var open: [Int] = []
    /// The units of all runs so far, by the names of the bodies and in the order in which these ended.
    var done: [String: [Int]] = [:]
  }

  private static let state = Mutex(State())

  /// What a unit of work takes, and what a body takes that does nothing, in nanoseconds.
  static let unit: UInt64 = 500
  static let least: UInt64 = 2_000

  /// Does this many units of work, as a part of the innermost body that runs.
  static func spend(_ units: Int) {
    state.withLock { state in
      guard let innermost = state.open.indices.last else { return }
      state.open[innermost] += units
    }
  }

  /// Runs a body, and keeps what work it has done.
  static func measured<Output>(_ name: String, _ body: () throws -> Output) rethrows -> Output {
    state.withLock { $0.open.append(0) }
    defer {
      state.withLock { state in
        let units = state.open.removeLast()
        state.done[name, default: []].append(units)
      }
    }
    return try body()
  }

  /// What was done since the last call.
  static func popDone() -> [String: [Int]] {
    state.withLock { state in
      defer { state = State() }
      return state.done
    }
  }
}
