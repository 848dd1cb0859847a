/// A column of varints, most of which are 0, stored as runs of zeros and the numbers between them.
///
///     [ bytes of the runs | run, run, ... run | number, number, ... ]
///
/// All of these are varints. The first run precedes the first number, and the last run follows the last
/// number.
enum PackedColumn {
  /// Added to the number of a column if the column is packed.
  static let mark = 64
  /// Columns with fewer bytes are not packed.
  static let bytesMin = 512
  /// The most numbers in a column, including zeros; no block has more of anything.
  static let numbersMax = LogFormat.itemsMax + LogFormat.eventsMax

  /// Packs varints, if at most a third of them are not 0. Returns the packed bytes and the offset at which
  /// the numbers begin; nil otherwise.
  ///
  /// Cost: reads a few hundred bytes if there are too few zeros, otherwise some nanoseconds a byte.
  static func pack(_ varints: ArraySlice<UInt8>) -> (bytes: [UInt8], numbersStart: Int)? {
    guard looksWorthwhile(varints) else { return nil }
    var (runs, numbers): ([UInt8], [UInt8]) = ([], [])
    var (zeros, zerosInAll, others, isInside) = (0, 0, 0, false)
    for byte in varints {
      if byte == 0, !isInside {
        zeros += 1
        continue
      }
      if !isInside {
        others += 1
        if 3 * others > varints.count { return nil }
        runs.appendVarint(zeros)
        zerosInAll += zeros
        zeros = 0
      }
      numbers.append(byte)
      isInside = byte >= 0x80
    }
    runs.appendVarint(zeros)
    if zerosInAll + zeros < 2 * others { return nil }
    var bytes: [UInt8] = []
    bytes.appendVarint(runs.count)
    bytes += runs
    return (bytes + numbers, bytes.count)
  }

  /// Whether a third of the bytes in a sample are zeros; most columns have very few.
  private static func looksWorthwhile(_ varints: ArraySlice<UInt8>) -> Bool {
    var (sampled, zeros) = (0, 0)
    for position in stride(from: varints.startIndex, to: varints.endIndex, by: max(1, varints.count / 256)) {
      sampled += 1
      if varints[position] == 0 { zeros += 1 }
    }
    return 3 * zeros >= sampled
  }

  /// Unpacks the varints of a column that is packed in a part of a payload.
  ///
  /// Memory: at most a byte for each number, and the bytes of the part.
  static func unpack(_ payload: [UInt8], in range: Range<Int>) throws(DecodeFault) -> [UInt8] {
    var head = ByteReader(payload, in: range)
    let runBytes = try head.skip(try head.varint(), "the runs of a packed column")
    var runs = ByteReader(payload, in: runBytes)
    var numbers = ByteReader(payload, in: head.position..<head.end)
    var varints: [UInt8] = []
    var room = numbersMax
    while true {
      let zeros = try runs.varint(below: room, "a run of zeros")
      room -= zeros + 1
      varints.append(contentsOf: repeatElement(0, count: zeros))
      if numbers.isAtEnd { break }
      let start = numbers.position
      _ = try numbers.varint()
      varints += payload[start..<numbers.position]
    }
    try runs.expectEnd("the runs of a packed column")
    return varints
  }
}
