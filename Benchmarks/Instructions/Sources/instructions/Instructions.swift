import CCallgrind
import EventLog
import Foundation
import Projection
import ReplayAnalysis

/// Does the most frequent work of the engine, the log and an analysis, so that callgrind counts the
/// instructions of each.
///
/// Prints a line for each count: its name, and how often the work was done. `count`, two folders above, runs
/// this program and reads the lines. Callgrind either keeps threads apart and writes only the thread that
/// asks, or adds all threads up. So with the argument `caller` the program does the work that is counted for
/// one thread, and otherwise the rest.
@main
enum Instructions {
  static func main() throws {
    if CommandLine.arguments.dropFirst() == ["caller"] { try countCaller() } else { try countThreads() }
  }

  private static func countCaller() throws {
    for piece in EngineWork.all {
      try count("\(piece.name), unrecorded") {
        let session = Session()
        let work = piece.prepare(session)
        return { withExtendedLifetime(session, work) }
      }
      try count("\(piece.name), recorded") {
        let recording = try Recording()
        let work = piece.prepare(recording.session)
        return { withExtendedLifetime(recording, work) }
      }
    }
  }

  private static func countThreads() throws {
    // The log's own thread alone.
    try count("seal an event", withoutCaller: true) {
      let recording = try Recording()
      let work = EngineWork.set.prepare(recording.session)
      return {
        let events = work()
        try recording.session.close()
        return events
      }
    }
    try count("hot on sets that invalidate, an event") {
      let file = try ScratchFile("woken.evlog")
      try WokenLog.record(to: file.path, events: 50_000, Workload(), options: Recording.options)
      return { try playHot(file.path) }
    }
    try count("hot on objects that come and go, an event") {
      let recording = try Recording()
      let lives = PoolLives(in: recording.session)
      for number in 0..<300 { lives.live(number) }
      try recording.session.close()
      return { try withExtendedLifetime(recording) { try playHot(recording.file.path) } }
    }
  }

  /// Ranks what is in a log, as `replay hot` does, and returns the number of its events.
  private static func playHot(_ path: String) throws -> Int {
    let log = try LogSource(path: path)
    let report = try HotReport(log, Selection(in: log))
    precondition(!report.projections.isEmpty)
    return Int(log.lastSeq)
  }

  /// Does the work once to warm up, and once more to be counted.
  ///
  /// - Parameter prepare: Sets up, and returns the work, which returns how often it was done.
  private static func count(
    _ name: String, withoutCaller: Bool = false, _ prepare: () throws -> () throws -> Int
  ) throws {
    _ = try prepare()()
    let work = try prepare()
    callgrind_begin()
    if withoutCaller { callgrind_toggle_caller() }
    let times = try work()
    if withoutCaller { callgrind_toggle_caller() }
    callgrind_end(name)
    print("\(name)\t\(times)")
    withExtendedLifetime(work) {}
  }
}

/// A session that records to a file, whose blocks are cut by their size alone: the clock would cut a slow run into more.
private final class Recording {
  static var options: LogOptions {
    var options = LogOptions()
    options.flushInterval = .seconds(3_600)
    return options
  }

  let file: ScratchFile
  let session: Session

  init() throws {
    file = try ScratchFile("counted.evlog")
    session = try Session(recordingTo: URL(filePath: file.path), options: Self.options)
  }

  // The work to be counted is done.
  deinit { try? session.close() }
}

/// Something that a session does.
private struct EngineWork {
  let name: String
  /// Sets up in a session, and returns the work, which returns how often it was done.
  let prepare: (Session) -> () -> Int
}

extension EngineWork {
  static var all: [EngineWork] {
    [
      set, wake, graph("diamond", updates: 500), graph("chain of 50", updates: 40),
      graph("15 wide, 50 layers", updates: 2), bump, rowByID, append, cancel, live, keys,
    ] + ValueSets.all.map(valueSet) + [setFollowed, wakeByFollowed]
      // From the first action or callback of a process on, each set looks for its cause, so these come last.
      + [setWithinAction, action, callback]
  }

  private static var setFollowed: EngineWork {
    EngineWork(name: "set an Int of a followed object, and look") { session in
      let store = ObservableStore()
      session.follow(store, as: "store", properties: \.number)
      return {
        for number in 1...5_000 {
          store.number = number
          session.flush()
        }
        return 5_000
      }
    }
  }

  private static var wakeByFollowed: EngineWork {
    EngineWork(name: "set an Int of a followed object that a projection reads, and look") { session in
      let store = ObservableStore()
      session.follow(store, as: "store", properties: \.number)
      session.projection("Reader") { _ in store.number }
      return {
        for number in 1...2_000 {
          store.number = number
          session.flush()
        }
        return 2_000
      }
    }
  }

  private static var setWithinAction: EngineWork {
    EngineWork(name: "set an Int within an action") { session in
      let store = RecordedStore()
      session.attach(store, as: "store")
      return {
        session.action("Count") { for number in 1...20_000 { store.number = number } }
        return 20_000
      }
    }
  }

  private static var action: EngineWork {
    EngineWork(name: "an action that sets an Int") { session in
      let store = RecordedStore()
      session.attach(store, as: "store")
      return {
        for number in 1...5_000 { session.action("Count") { store.number = number } }
        return 5_000
      }
    }
  }

  private static var callback: EngineWork {
    EngineWork(name: "set an Int that a callback receives") { session in
      let store = RecordedStore()
      session.attach(store, as: "store")
      session.onReceive(of: \.number, in: store) { consume($0) }
      return {
        for number in 1...5_000 { store.number = number }
        return 5_000
      }
    }
  }

  static var set: EngineWork {
    EngineWork(name: "set an Int") { session in
      let store = RecordedStore()
      session.attach(store, as: "store")
      return {
        for number in 1...20_000 { store.number = number }
        return 20_000
      }
    }
  }

  private static var wake: EngineWork {
    EngineWork(name: "set an Int that a projection reads") { session in
      let store = RecordedStore()
      session.attach(store, as: "store")
      session.projection("View") { _ in consume(store.number) }
      for number in -warmUp...0 { store.number = number }
      return {
        for number in 1...2_000 { store.number = number }
        return 2_000
      }
    }
  }

  /// The number of updates before those that are counted.
  private static let warmUp = 80

  /// Updates of the first graph whose title begins so; what is counted is a recomputation.
  private static func graph(_ title: String, updates: Int) -> EngineWork {
    EngineWork(name: "recompute in a graph, \(title)") { session in
      guard let graph = Graph.shapes.first(where: { $0.title.hasPrefix(title) }) else {
        // The titles are those of the list above.
        preconditionFailure("there is no such graph")
      }
      let nodes = DerivedGraph(graph, session)
      // A few of the first runs of a node are observed, which is not what is counted.
      nodes.check(warmUp)
      let before = nodes.recomputations
      return {
        for turn in (warmUp + 1)...(warmUp + updates) { nodes.update(turn) }
        return nodes.recomputations - before
      }
    }
  }

  private static var bump: EngineWork {
    EngineWork(name: "bump one of 1,000 rows with a projection each") { session in
      let store = RecordedStore()
      store.rows = RecordedArray(Row.seed(1_000))
      session.attach(store, as: "store")
      for index in 0..<1_000 { session.projection("Row") { _ in consume(store.rows[index].count) } }
      // The first bump of a row defines its path in the log.
      for index in 0..<1_000 { store.rows[index].count += 1 }
      return {
        for turn in 0..<1_000 { store.rows[turn * 7_919 % 1_000].count += 1 }
        return 1_000
      }
    }
  }

  private static var append: EngineWork {
    EngineWork(name: "append to 1,000 rows and remove the last") { session in
      let store = RecordedStore()
      session.attach(store, as: "store")
      store.rows = RecordedArray(Row.seed(1_000))
      return {
        for number in 0..<200 {
          store.rows.append(Row(id: 1_000 + number, title: "new"))
          store.rows.removeLast()
        }
        return 200
      }
    }
  }

  private static var cancel: EngineWork {
    EngineWork(name: "cancel one of 10,000 callbacks") { session in
      let store = RecordedStore()
      session.attach(store, as: "store")
      let callbacks = (0..<10_000).map { number in
        session.onChange(of: \.number, in: store, name: "C#\(number)") { _, _ in }
      }
      return {
        for number in 0..<1_000 { callbacks[number].cancel() }
        return 1_000
      }
    }
  }

  private static var rowByID: EngineWork {
    EngineWork(name: "put up a row that reads one of 10,000 by id") { session in
      let store = RecordedStore()
      store.rows = RecordedArray(Row.seed(10_000))
      session.attach(store, as: "store")
      func putUp(_ id: Int) {
        session.projection("Row#\(id)") { _ in consume(store.rows[id: id].count) }
      }
      for id in 0..<100 { putUp(id) }
      return {
        for id in 9_000..<9_100 { putUp(id) }
        return 100
      }
    }
  }

  private static var live: EngineWork {
    EngineWork(name: "live: put in, read, set, cancel, remove an object") { session in
      let lives = PoolLives(in: session)
      for number in 0..<200 { lives.live(number) }
      return {
        for number in 200..<300 { lives.live(number) }
        return 100
      }
    }
  }

  private static var keys: EngineWork {
    EngineWork(name: "put in a key of a dictionary and remove one") { session in
      let pool = NumberPool()
      session.attach(pool, as: "pool")
      func use(_ number: Int) {
        pool.numbers["key \(number)"] = number
        if number >= 100 { pool.numbers["key \(number - 100)"] = nil }
      }
      for number in 0..<200 { use(number) }
      return {
        for number in 200..<300 { use(number) }
        return 100
      }
    }
  }

  /// Sets a property of one kind.
  private static func valueSet(
    _ kind: (name: String, set: @Sendable (KindsOfValues, Int) -> Void)
  ) -> EngineWork {
    EngineWork(name: kind.name) { session in
      let model = KindsOfValues()
      session.attach(model, as: "model")
      for turn in 0..<600 { kind.set(model, turn) }
      return {
        for turn in 600..<900 { kind.set(model, turn) }
        return 300
      }
    }
  }
}

@Recorded private final class NumberPool {
  var numbers: RecordedDictionary<String, Int> = [:]
}
