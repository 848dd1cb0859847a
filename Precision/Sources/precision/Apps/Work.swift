/// The time that a body takes: a fixed amount of work, since a fixed time would hide what a machine is busy with.
enum Work {
  /// Does this many units of work, each of which takes about as long as reading a few values.
  @inline(never) static func spend(_ units: Int) {
    var mixed: UInt64 = 1
    var left = units * 40
    while left > 0 {
      mixed = (mixed ^ (mixed << 13)) &+ UInt64(truncatingIfNeeded: left)
      left -= 1
    }
    sink = mixed
  }

  /// Where the results go, so that the compiler keeps the work.
  nonisolated(unsafe) private static var sink: UInt64 = 0
}
