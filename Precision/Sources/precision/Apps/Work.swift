import Synchronization

/// The time that bodies take. It is simulated, so that it is the same on a machine that does other things, too: a body says
/// what work it does, and the log gets that instead of what was measured.
///
/// A process records one app at a time.
enum Work {
  /// The units of a run, and how many of these went into comparing.
  struct Done {
    var units = 0
    var comparing = 0
  }

  private struct State {
    /// The bodies that run now, from the outside in.
    var open: [Done] = []
    /// All runs so far, by the names of the bodies and in the order in which these ended.
    var done: [String: [Done]] = [:]
  }

  private static let state = Mutex(State())

  /// What a unit of work takes, and what a body takes that does nothing, in nanoseconds.
  static let unit: UInt64 = 500
  static let least: UInt64 = 2_000

  /// Does this many units of work, as a part of the innermost body that runs.
  static func spend(_ units: Int, isComparing: Bool = false) {
    state.withLock { state in
      guard let innermost = state.open.indices.last else { return }
      state.open[innermost].units += units
      if isComparing { state.open[innermost].comparing += units }
    }
  }

  /// Runs a body, and keeps what work it has done.
  static func measured<Output>(_ name: String, _ body: () throws -> Output) rethrows -> Output {
    state.withLock { $0.open.append(Done()) }
    defer {
      state.withLock { state in
        let done = state.open.removeLast()
        state.done[name, default: []].append(done)
      }
    }
    return try body()
  }

  /// What was done since the last call.
  static func popDone() -> [String: [Done]] {
    state.withLock { state in
      defer { state = State() }
      return state.done
    }
  }
}
