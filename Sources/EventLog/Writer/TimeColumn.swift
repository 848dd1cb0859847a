/// The times of a block, held back until their scale is known.
struct TimeColumn {
  private var deltas: [Int64] = []
  private var last: UInt64 = 0

  @inline(__always)
  mutating func append(_ time: UInt64, isFirst: Bool) {
    deltas.append(isFirst ? 0 : Int64(bitPattern: time &- last))
    last = time
  }

  /// Writes the columns. Clocks tick in microseconds or seconds more often than in nanoseconds.
  func fill(_ columns: inout ColumnBuffers) {
    var scale: UInt64 = 0
    for delta in deltas {
      scale = gcd(scale, delta.magnitude)
      if scale == 1 { break }
    }
    let divisor = scale == 0 || scale > UInt64(Int64.max) ? 1 : Int64(scale)
    if divisor == 1 {
      for delta in deltas { columns.putZigzag(.times, delta) }
    } else {
      columns.put(.timeScale, UInt64(divisor))
      for delta in deltas { columns.putZigzag(.times, delta / divisor) }
    }
  }

  mutating func removeAll() { deltas.removeAll(keepingCapacity: true) }
}

private func gcd(_ a: UInt64, _ b: UInt64) -> UInt64 {
  var (a, b) = (a, b)
  while b != 0 { (a, b) = (b, a % b) }
  return a
}
