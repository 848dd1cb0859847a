/// Counts by lane, and along each lane by bins of equal width. The page draws a long run from them.
///
/// The width is a power of two. It doubles when a number lies past the last bin, or when there are so many
/// lanes that all cells together would exceed the limit on memory. So memory is bounded for any input.
struct LaneBins {
  struct Cell {
    var count: UInt32 = 0
    /// How many of these changed nothing: runs with the same output, or writes of an equal value.
    var wasted: UInt32 = 0
    /// Their total duration in nanoseconds.
    var time: Float = 0

    @inline(__always)
    fileprivate mutating func count(_ time: Float, _ isWasted: Bool) {
      count &+= 1
      if isWasted { wasted &+= 1 }
      self.time += time
    }

    fileprivate mutating func add(_ other: Cell) {
      count += other.count
      wasted += other.wasted
      time += other.time
    }
  }

  /// The width of a bin is two to this power.
  private(set) var shift: UInt64
  /// The cells of each lane, up to the last one that was needed.
  private(set) var lanes: [[Cell]] = []
  private var binsMax = Self.binsMost

  static let binsMost = 1 << 13
  /// If there are more lanes than cells allow, the last lanes are left out.
  private static let binsLeast = 1 << 8
  private static let cellsMax = 1 << 22

  /// - Parameter span: The largest number that is expected; numbers start at 0.
  init(span: UInt64 = 0) {
    shift = 0
    while span >> shift >= UInt64(Self.binsMost) { shift += 1 }
  }

  /// The number of bins in the longest lane.
  private(set) var binCount = 0

  /// The bin of a number, which is past the last one if nothing was counted there. Where little is counted bins stay
  /// narrow, so the run may have come to a number that is far beyond them.
  func index(of number: UInt64) -> Int { Int(min(number >> shift, UInt64(binCount))) }

  /// Counts something in the bin of a number.
  @inline(__always)
  mutating func add(_ lane: Int, at number: UInt64, time: UInt64 = 0, isWasted: Bool = false) {
    let bin = number >> shift
    if lane < lanes.count, bin < UInt64(lanes[lane].count) {
      lanes[lane][Int(bin)].count(Float(time), isWasted)
    } else {
      makeRoom(lane, at: number)
      if lane < lanes.count { add(lane, at: number, time: time, isWasted: isWasted) }
    }
  }

  @inline(never)
  private mutating func makeRoom(_ lane: Int, at number: UInt64) {
    while binsMax > Self.binsLeast, (lane + 1) * binsMax > Self.cellsMax { binsMax /= 2 }
    if (lane + 1) * binsMax > Self.cellsMax { return }
    // A lane that was filled while there were fewer lanes may reach past the last bin.
    while max(number >> shift, UInt64(max(1, binCount) - 1)) >= UInt64(binsMax) { halve() }
    while lanes.count <= lane { lanes.append([]) }
    // Reserve more than needed, since the following bins usually come next.
    let bin = Int(number >> shift)
    let count = min(binsMax, bin + 1 + bin / 8 + 16)
    if count > lanes[lane].count {
      lanes[lane].append(contentsOf: repeatElement(Cell(), count: count - lanes[lane].count))
      binCount = max(binCount, count)
    }
  }

  /// Doubles the width, which halves the number of bins.
  private mutating func halve() {
    shift += 1
    binCount = (binCount + 1) / 2
    for lane in lanes.indices {
      let old = lanes[lane]
      var new = [Cell](repeating: Cell(), count: (old.count + 1) / 2)
      for (bin, cell) in old.enumerated() { new[bin / 2].add(cell) }
      lanes[lane] = new
    }
  }
}

extension LaneBins.Cell {
  /// Encodes a count as a byte: exact up to 32; above that, twelve steps for each doubling.
  static func code(count: UInt32) -> UInt8 {
    if count <= 32 { return UInt8(count) }
    return UInt8(clamping: Int((32 + 12 * Self.log2(Float(count) / 32)).rounded()))
  }

  /// Encodes a time as a byte: 0 for none; from one nanosecond on, five and a half steps for each doubling.
  static func code(time: Float) -> UInt8 {
    if time <= 0 { return 0 }
    return UInt8(clamping: Int((1 + 5.5 * Self.log2(max(1, time))).rounded()))
  }

  /// Exact to a thousandth. It uses a table, since it is called for each cell.
  private static func log2(_ number: Float) -> Float {
    let index = Int(number.significandBitPattern >> 11)
    return Float(number.exponent) + logarithms[index]
  }

  /// The logarithms of the numbers from 1 to 2, at the middle of each 4096th.
  private static let logarithms: [Float] = (0..<4096).map { part in
    var (fraction, result, step) = (1 + (Double(part) + 0.5) / 4096, 0.0, 0.5)
    while step > 1e-7 {
      fraction *= fraction
      if fraction >= 2 {
        fraction /= 2
        result += step
      }
      step /= 2
    }
    return Float(result)
  }
}

extension ReportColumns {
  /// Adds some bins of some lanes, coded as bytes, one lane after the other: a column of counts, one of wasted counts,
  /// and one of times.
  mutating func add(_ name: String, _ bins: LaneBins, _ lanes: [Int], _ range: Range<Int>, hasTimes: Bool) {
    func column(_ code: (LaneBins.Cell) -> UInt8) -> [UInt8] {
      var column: [UInt8] = []
      column.reserveCapacity(lanes.count * range.count)
      for lane in lanes {
        let cells = bins.lanes.indices.contains(lane) ? bins.lanes[lane] : []
        let shown = cells.dropFirst(range.lowerBound).prefix(range.count)
        for cell in shown { column.append(code(cell)) }
        column.append(contentsOf: repeatElement(0, count: range.count - shown.count))
      }
      return column
    }
    add("\(name).count", column { LaneBins.Cell.code(count: $0.count) })
    add("\(name).wasted", column { LaneBins.Cell.code(count: $0.wasted) })
    if hasTimes { add("\(name).time", column { LaneBins.Cell.code(time: $0.time) }) }
  }
}
