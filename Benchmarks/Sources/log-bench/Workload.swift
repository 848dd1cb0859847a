import EventLog

/// Int sets over some paths, the same in every run: each adds or subtracts one to eight at a random path, some 200 ns
/// after the last.
struct Workload {
  /// One set.
  struct Step {
    var path: Int
    var value: Int64
    var time: UInt64
  }

  static let pathCount = 1_000

  /// `app.rows[17].count` and its like.
  static let paths: [Path] = (0..<pathCount).map {
    Path(root: .named("app"), components: [.property("rows"), .index($0), .property("count")])
  }

  /// The object that the paths lead through. Without it there would be no state to keep, and no checkpoints.
  static let root: Event.Body = .set(
    Path(root: .named("app")),
    .object(
      ObjectDefinition(
        id: ObjectID(1), type: "App",
        fields: ["rows": .array(Array(repeating: .map(["count": 0]), count: pathCount)), "theme": "light"])),
    sameValue: false)

  private var random = SplitMix64(seed: 1)
  private var values: [Int64]
  private var time: UInt64 = 0

  /// - Parameter value: The initial value at each path. Runs from values far apart have no set in common.
  init(startingAt value: Int64 = 0) { values = Array(repeating: value, count: Self.pathCount) }

  /// The next set. Cost: about 3 ns.
  @inline(__always)
  mutating func next() -> Step {
    let bits = random.next()
    let path = Int(((bits >> 32) &* UInt64(Self.pathCount)) >> 32)
    values[path] &+= Int64(bits & 15) - 7
    time &+= 100 &+ (bits >> 8 & 255)
    return Step(path: path, value: values[path], time: time)
  }
}

/// A small random generator with a seed.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  @inline(__always)
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
