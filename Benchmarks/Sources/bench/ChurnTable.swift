import BenchSupport
import Observation
import Projection

/// Shows what a session keeps of removed data: objects that come and go, and keys that are never used again.
///
/// Neither the time nor the memory should grow from part to part.
struct ChurnTable {
  static let title = "churn"
  /// How many objects or keys are alive at a time.
  private static let alive = 100
  private static let parts = 5

  private let lives: Int
  private let keys: Int
  private let log: String?
  private let contender: String?

  /// - Parameters:
  ///   - lives: How many objects come and go, in all parts.
  ///   - keys: How many keys are used once, in all parts.
  ///   - log: Where to keep the log of the objects; nil to remove it.
  ///   - contender: Measures the contenders whose names contain this; nil for all.
  init(lives: Int, keys: Int, log: String?, only contender: String?) {
    self.lives = lives
    self.keys = keys
    self.log = log
    self.contender = contender
  }

  func run() throws {
    header("objects that are put in, read by a projection, set, cancelled and removed", lives)
    try measure("@Observable, withObservationTracking re-armed", lives) {
      let pool = ObservablePool()
      var readers: [Int: Rearming] = [:]
      return (
        pool,
        { number in
          let object = ObservableOne()
          pool.objects[number] = object
          let reader = Rearming { consume(object.value) }
          readers[number] = reader
          object.value = number + 1
          reader.settle()
          readers[number - Self.alive] = nil
          pool.objects[number - Self.alive] = nil
        }
      )
    }
    try measureSessions(lives, keptAt: log) { session in PoolLives(in: session, alive: Self.alive).live }
    header("distinct keys of a dictionary, put in and removed", keys)
    try measure("@Observable, unrecorded", keys) {
      let pool = ObservablePool()
      return (
        pool,
        { number in
          pool.numbers["key \(number)"] = number
          pool.numbers["key \(number - Self.alive)"] = nil
        }
      )
    }
    try measureSessions(keys) { session in
      let pool = RecordedPool()
      session.attach(pool, as: "pool")
      return { number in
        pool.numbers["key \(number)"] = number
        if number >= Self.alive { pool.numbers["key \(number - Self.alive)"] = nil }
      }
    }
  }

  private func header(_ what: String, _ count: Int) {
    print("\n\(Self.title), \(what): \(count), by \(count / Self.parts), \(Self.alive) alive")
  }

  private func measureSessions(
    _ count: Int, keptAt log: String? = nil, _ begin: (Session) -> (Int) -> Void
  ) throws {
    try measure("@Recorded, session that records nothing", count) {
      let session = Session()
      return (session, begin(session))
    }
    try measure("@Recorded, recorded to a file", count) {
      let recording = try RecordingSession(keptAt: log)
      return (recording, begin(recording.session))
    }
  }

  /// Measures the time of each part, and the bytes that are allocated after it beyond those before the first
  /// part.
  ///
  /// - Parameter begin: Sets up, and returns the work for each number, and an object to keep alive meanwhile.
  private func measure(
    _ name: String, _ count: Int, _ begin: () throws -> (kept: AnyObject, live: (Int) -> Void)
  ) throws {
    if let contender, !name.contains(contender) { return }
    let clock = ContinuousClock()
    let before = MemoryTable.settledBytes()
    let (kept, live) = try begin()
    let size = count / Self.parts
    var (times, memory): ([String], [String]) = ([], [])
    for part in 0..<Self.parts {
      let time = clock.measure { for number in part * size..<(part + 1) * size { live(number) } }
      times.append((time.nanoseconds / Double(size) / 1_000).short)
      memory.append((Double(MemoryTable.settledBytes() - before) / 1_048_576).short)
    }
    print("  \(name.padded(to: 50)) us each: \(times.joined(separator: ", "))")
    print("  \("".padded(to: 50)) MiB after: \(memory.joined(separator: ", "))")
    withExtendedLifetime(kept) {}
  }
}

@Observable private final class ObservablePool {
  var objects: [Int: ObservableOne] = [:]
  var numbers: [String: Int] = [:]
}

@Recorded private final class RecordedPool {
  var numbers: RecordedDictionary<String, Int> = [:]
}
