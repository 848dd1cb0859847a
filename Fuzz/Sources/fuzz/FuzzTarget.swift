/// Code that takes any bytes and must not trap, hang, or use memory without bound.
protocol FuzzTarget: Sendable {
  /// Its name for `--target`; also that of its folder of seeds.
  static var name: String { get }
  /// Runs one input; traps if a promise is broken.
  static func run(_ input: [UInt8])
  /// A changed copy of an input, of at most `limit` bytes.
  static func mutate(_ input: [UInt8], limit: Int, seed: UInt32) -> [UInt8]
}

let allTargets: [any (FuzzTarget & SendableMetatype).Type] = {
  var targets: [any (FuzzTarget & SendableMetatype).Type] = [
    ReaderTarget.self, RecoveryTarget.self, RewriteTarget.self, JSONLinesTarget.self,
  ]
  #if TOOL
    targets.append(ToolTarget.self)
  #endif
  return targets
}()

@_silgen_name("LLVMFuzzerMutate")
private func mutateInPlace(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int, _ limit: Int) -> Int

/// Mutates bytes as libFuzzer itself does: flips bits, copies parts, inserts words of its dictionary.
func mutated(_ bytes: [UInt8], limit: Int) -> [UInt8] {
  let limit = max(limit, bytes.count, 1)
  return [UInt8](unsafeUninitializedCapacity: limit) { room, count in
    _ = room.update(fromContentsOf: bytes)
    count = mutateInPlace(room.baseAddress, bytes.count, limit)
  }
}

/// A generator that gives the same numbers for the same seed, so that a run can be repeated.
struct FuzzRandom: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt32) { state = UInt64(seed) }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ count: Int) -> Int { Int.random(in: 0..<max(count, 1), using: &self) }
}

/// Ends the process with a message if a promise is broken; a precondition in an optimised build prints none.
func expect(_ isKept: Bool, _ promise: @autoclosure () -> String) {
  if !isKept { fatalError(promise()) }
}
