/// Reassembles values from the columns of a block, in the order in which they were written.
struct ValueReader {
  private var tags: ByteReader
  private var ints: ByteReader
  private var uints: ByteReader
  private let doubles: ByteReader
  private var doubleIndex = 0
  private var lengths: ByteReader
  private var counts: ByteReader
  private var keys: ByteReader
  private var bytes: ByteReader
  private var text: ByteReader
  private let strings: StringSlices
  private var names = MadeStrings()
  private var memory = NumberMemory()
  private var itemsLeft = LogFormat.itemsMax

  init(_ columns: inout BlockColumns, strings: StringSlices) {
    tags = columns.remove(.valueTags)
    ints = columns.remove(.valueInts)
    uints = columns.remove(.valueUInts)
    doubles = columns.remove(.valueDoubles)
    lengths = columns.remove(.valueLengths)
    counts = columns.remove(.valueCounts)
    keys = columns.remove(.valueKeys)
    bytes = columns.remove(.valueBytes)
    text = columns.remove(.text)
    self.strings = strings
  }

  /// Throws if the doubles do not take 8 bytes each.
  func expectWholeDoubles() throws(DecodeFault) {
    if doubles.remaining % 8 != 0 { throw doubles.fault("the doubles take \(doubles.remaining) bytes") }
  }

  /// Counts items that take memory against the limit of the block, before allocating them.
  @inline(__always)
  mutating func spend(_ items: Int) throws(DecodeFault) {
    guard items <= itemsLeft else { throw tags.fault("the block holds over \(LogFormat.itemsMax) parts") }
    itemsLeft -= items
  }

  /// Throws if a stream was not read to its end.
  func expectEnd() throws(DecodeFault) {
    for (stream, column) in [
      (tags, Column.valueTags), (ints, .valueInts), (uints, .valueUInts), (lengths, .valueLengths),
      (counts, .valueCounts), (keys, .valueKeys), (bytes, .valueBytes), (text, .text),
    ] {
      try stream.expectEnd("column \(column)")
    }
    if doubleIndex * 8 != doubles.remaining { throw doubles.fault("doubles are left over") }
  }

  @inline(__always)
  mutating func next(_ context: NumberMemory.Context) throws(DecodeFault) -> Value {
    try spend(1)
    // Most values are integers, so these are read here, and others by a call.
    if !tags.isAtEnd, tags.bytes[tags.position] == ValueTag.int {
      _ = try tags.byte()
      return .int(memory.int(at: try ints.zigzag(), context))
    }
    return try next(context, depth: 1)
  }

  /// The next value, which must be able to be the id in a path.
  mutating func nextID() throws(DecodeFault) -> Value {
    let start = tags
    let id = try next(.pathTable)
    guard id.canBeID else { throw start.fault("the id of an element in a path is no scalar") }
    return id
  }

  /// The next value, which is the insert of a splice. Its size was written with the splice.
  mutating func next(_ context: NumberMemory.Context, insertSize: Int) throws(DecodeFault) -> Value {
    guard !tags.isAtEnd else { throw tags.fault("a column ends too early") }
    try spend(1)
    switch tags.bytes[tags.position] {
    case ValueTag.string:
      _ = try tags.byte()
      return .string(try text.text(UInt64(insertSize), "an inserted string"))
    case ValueTag.array:
      _ = try tags.byte()
      return .array(try elements(UInt64(insertSize), context, depth: 1))
    default:
      guard insertSize == 0 else { throw tags.fault("a splice inserts \(insertSize) of what has no size") }
      return try next(context, depth: 1)
    }
  }

  private mutating func next(_ context: NumberMemory.Context, depth: Int) throws(DecodeFault) -> Value {
    let tag = try tags.byte()
    switch tag {
    case ValueTag.null: return .null
    case ValueTag.false: return .bool(false)
    case ValueTag.true: return .bool(true)
    case ValueTag.int: return .int(memory.int(at: try ints.zigzag(), context))
    case ValueTag.uint:
      let number = try uints.varint()
      // A number that fits an `int` is printed like one, so it is read as one.
      return Int64(exactly: number).map { .int($0) } ?? .uint(number)
    case ValueTag.double: return .double(try double(context))
    case ValueTag.date: return .date(try double(context))
    case ValueTag.string: return .string(try text.text(try lengths.varint(), "a string"))
    case ValueTag.bytes:
      let range = try bytes.skip(try lengths.varint(), "a value of bytes")
      return .bytes(Array(bytes.bytes[range]))
    case ValueTag.array: return .array(try elements(try counts.varint(), context, depth: depth))
    case ValueTag.map: return .map(try fields(depth: depth))
    case ValueTag.object:
      let id = try uints.object()
      let type = try key()
      return .object(ObjectDefinition(id: id, type: type.name, fields: try fields(depth: depth)))
    case ValueTag.reference: return .reference(try uints.object())
    case ValueTag.redacted: return .redacted
    case ValueTag.opaque:
      let type = try key()
      return .opaque(type: type.name, identity: try uints.varint())
    default: throw tags.fault("a value has tag \(tag), which a newer version must have made")
    }
  }

  private mutating func double(_ context: NumberMemory.Context) throws(DecodeFault) -> Double {
    let count = doubles.remaining / 8
    guard doubleIndex < count else { throw doubles.fault("there are only \(count) doubles") }
    var bits: UInt64 = 0
    for plane in 0..<8 {
      bits |= UInt64(doubles.bytes[doubles.position + plane * count + doubleIndex]) << UInt64(8 * plane)
    }
    doubleIndex += 1
    return Double(bitPattern: memory.bits(at: bits, context))
  }

  /// `mutating` only so that it is not called on a copy of the reader.
  private mutating func check(_ count: UInt64, depth: Int) throws(DecodeFault) -> Int {
    // Every element has a tag, so a count above the number of remaining tags is invalid.
    guard count <= UInt64(tags.remaining) else {
      throw counts.fault("a collection has \(count) elements where \(tags.remaining) values are left")
    }
    guard count == 0 || depth < LogFormat.valueDepthMax else {
      throw counts.fault("a value is nested over \(LogFormat.valueDepthMax) deep")
    }
    return Int(count)
  }

  private mutating func elements(
    _ count: UInt64, _ context: NumberMemory.Context, depth: Int
  ) throws(DecodeFault) -> [Value] {
    let count = try check(count, depth: depth)
    // Count all elements before reading any, so that nested collections cannot each reserve room for all of
    // them.
    try spend(count)
    var elements: [Value] = []
    elements.reserveCapacity(count)
    for _ in 0..<count { elements.append(try next(context, depth: depth + 1)) }
    return elements
  }

  private mutating func fields(depth: Int) throws(DecodeFault) -> NamedValues<Value> {
    let count = try check(try counts.varint(), depth: depth)
    try spend(2 * count)
    var fields: NamedValues<Value> = [:]
    fields.reserveCapacity(count)
    for _ in 0..<count {
      let key = try key()
      let value = try next(.key(key.id), depth: depth + 1)
      if fields.updateValue(value, forKey: key.name) != nil { throw keys.fault("a map has one key twice") }
    }
    return fields
  }

  private mutating func key() throws(DecodeFault) -> (id: Int, name: String) {
    let id = try keys.varint(below: strings.count, "a key")
    return (id, names.string(id, in: strings))
  }
}
