@testable import EventLog

// Replaces one number by another and leaves everything else: the block's lengths and checksums are right, but its
// content differs.

extension Recipe.Part {
  /// Changes a number of a column, of the prefix, or of a seek table.
  mutating func changeNumber(_ random: inout FuzzRandom) {
    if kind == Recipe.Kind.seekTable {
      return set(
        Recipe.Field(place: UInt16(random.below(3 * 8)), value: random.number(like: 64, among: [])))
    }
    guard kind < Recipe.Kind.skippable else { return change(limit: 4096, &random) }
    guard hasColumns, !columns.isEmpty, random.below(6) > 0 else {
      let place = Recipe.PrefixField.allCases[random.below(Recipe.PrefixField.allCases.count)]
      // Later seqs follow from this one, and a count that is nearly right reaches further than any other.
      let old = fields.last { $0.place == place.rawValue }?.value ?? UInt64(number)
      return set(Recipe.Field(place: place.rawValue, value: random.number(like: old, among: [])))
    }
    let index = random.below(columns.count)
    let others = columns[random.below(columns.count)].varints
    if !columns[index].changeNumber(among: others, &random) {
      columns[index].content = fuzz.mutated(
        columns[index].content, limit: columns[index].content.count + 32)
    }
  }
}

extension FuzzRandom {
  private static let limits: [UInt64] = [
    0, 1, 2, 7, 8, 15, 16, 63, 64, 65, 127, 128, 255, 256, 1 << 14, 1 << 16, 1 << 20, 1 << 31, 1 << 32,
    1 << 48, 1 << 53, 1 << 62, 1 << 63, .max,
  ]

  /// A number at a limit, one near the old one, or a copy of another.
  mutating func number(like old: UInt64, among others: [UInt64]) -> UInt64 {
    let limit = Self.limits[below(Self.limits.count)]
    switch below(10) {
    case 0, 1: return limit
    case 2: return limit &- 1
    case 3: return limit &+ 1
    // Encoded as columns of differences are.
    case 4: return Zigzag.encode(Int64(bitPattern: limit))
    case 5: return Zigzag.encode(0 &- Int64(bitPattern: limit))
    case 6: return old &+ UInt64(1 + below(2))
    case 7: return old &- UInt64(1 + below(2))
    case 8: return old ^ (1 << UInt64(below(64)))
    default: return others.isEmpty ? UInt64(below(300)) : others[below(others.count)]
    }
  }
}

extension RecipeColumn {
  /// The numbers of a column, as far as it consists of varints.
  var varints: [UInt64] { Self.varints(content[...]).numbers }

  /// Changes one number; false for a column that has none.
  fileprivate mutating func changeNumber(among others: [UInt64], _ random: inout FuzzRandom) -> Bool {
    guard !content.isEmpty else { return false }
    let place = random.below(content.count)
    switch number & 63 {
    // Text and bytes.
    case 2, 29, 30: return false
    // A byte each: kinds and flags of events, and kinds of path steps, values and blocks.
    case 3, 6, 22, 40:
      content[place] =
        switch random.below(4) {
        case 0: UInt8(random.below(16))
        case 1: content[place] ^ UInt8(16 << random.below(4))
        case 2: content[random.below(content.count)]
        default: [1, 2, 128, 129, 130][random.below(5)]
        }
    case 21:
      // A nibble of 15 has a varint behind it.
      var size: [UInt8] = [UInt8(random.below(2) == 0 ? 0xF0 : 0x0F) | content[place] & 0x0F]
      size.appendVarint(random.number(like: UInt64(content[place]), among: others))
      content.replaceSubrange(
        place...place, with: random.below(2) == 0 ? size : [UInt8(random.below(256))])
    case 25, 51, 52: changeWord(place, &random)
    default:
      if number >= 64 { return changePacked(&random) }
      content = Self.changed(content[...], among: others, &random)
    }
    return true
  }

  /// Changes a double, which has a byte in each of eight planes, or a hash.
  private mutating func changeWord(_ place: Int, _ random: inout FuzzRandom) {
    let count = content.count / 8
    guard number == 25, count > 0 else {
      content[place] ^= 1 << UInt8(random.below(8))
      return
    }
    let values: [Double] = [
      0, -0.0, .nan, .infinity, -1, 0.1, 1e300, .leastNonzeroMagnitude, 9_007_199_254_740_993,
    ]
    let bits = values[random.below(values.count)].bitPattern
    for plane in 0..<8 {
      content[plane * count + place % count] = UInt8(truncatingIfNeeded: bits >> UInt64(8 * plane))
    }
  }

  /// Changes a run or a number of a packed column, or sometimes how long the runs are.
  private mutating func changePacked(_ random: inout FuzzRandom) -> Bool {
    let head = Self.varints(content[...], most: 1)
    guard let length = head.numbers.first, length <= UInt64(head.rest.count) else { return false }
    var runs = Array(head.rest.prefix(Int(length)))
    var numbers = Array(head.rest.dropFirst(Int(length)))
    var size = UInt64(0)
    switch random.below(8) {
    case 0: size = random.number(like: length, among: [])
    case 1, 2, 3: runs = Self.changed(runs[...], among: varints, &random)
    default: numbers = Self.changed(numbers[...], among: varints, &random)
    }
    if size == 0 { size = UInt64(runs.count) }
    content = []
    content.appendVarint(size)
    content += runs + numbers
    return true
  }

  private static func changed(
    _ bytes: ArraySlice<UInt8>, among others: [UInt64], _ random: inout FuzzRandom
  ) -> [UInt8] {
    var (numbers, rest) = varints(bytes)
    guard !numbers.isEmpty else { return Array(bytes) }
    let place = random.below(numbers.count)
    let pool = random.below(2) == 0 ? numbers : others
    numbers[place] = random.number(like: numbers[place], among: pool)
    var out: [UInt8] = []
    for number in numbers { out.appendVarint(number) }
    return Array((out + rest).prefix(65535))
  }

  /// The varints at the beginning, and what is left behind the last.
  private static func varints(
    _ bytes: ArraySlice<UInt8>, most: Int = .max
  ) -> (numbers: [UInt64], rest: ArraySlice<UInt8>) {
    var reader = ByteReader(Array(bytes))
    var numbers: [UInt64] = []
    var end = 0
    while numbers.count < most, !reader.isAtEnd, let number = try? reader.varint() {
      numbers.append(number)
      end = reader.position
    }
    return (numbers, bytes.dropFirst(end))
  }
}
