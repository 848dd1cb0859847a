/// The string table of a block.
enum StringTableReader {
  static func strings(_ columns: inout BlockColumns) throws(DecodeFault) -> [String] {
    var lengths = columns.take(.stringLengths)
    var bytes = columns.take(.stringBytes)
    // A length takes a byte at least, so this many strings are there, or fewer.
    guard lengths.remaining <= LogFormat.itemsMax else {
      throw lengths.fault("the block holds over \(LogFormat.itemsMax) strings")
    }
    var strings: [String] = []
    strings.reserveCapacity(lengths.remaining)
    while !lengths.isAtEnd {
      strings.append(try bytes.text(try lengths.varint(), "a string of the table"))
    }
    try bytes.expectEnd("the string table")
    return strings
  }
}

/// The path table of a block.
enum PathTableReader {
  static func read(
    _ columns: inout BlockColumns, _ values: inout ValueReader, _ strings: [String]
  ) throws(DecodeFault) -> [PathTable.Entry] {
    var kinds = columns.take(.pathKinds)
    var entries: [PathTable.Entry] = []
    var depths: [UInt8] = []
    guard kinds.remaining <= LogFormat.itemsMax else {
      throw kinds.fault("the block holds over \(LogFormat.itemsMax) paths")
    }
    entries.reserveCapacity(min(kinds.remaining, 1 << 14))
    depths.reserveCapacity(min(kinds.remaining, 1 << 14))
    var lastIndex: Int64 = 0
    while !kinds.isAtEnd {
      let kind = try kinds.byte()
      if kind == PathCode.namedRoot || kind == PathCode.objectRoot {
        let root = try root(kind, &columns, strings)
        try values.spend(1)
        entries.append(.root(root))
        depths.append(0)
        continue
      }
      let parent = try parent(of: entries.count, &columns)
      let component = try component(kind, &columns, &values, strings, &lastIndex)
      let depth = Int(depths[parent]) + 1
      guard depth <= Path.maximumDepth else {
        throw columns[.pathParents].fault("a path is over \(Path.maximumDepth) components deep")
      }
      try values.spend(depth + 1)
      entries.append(.step(parent: PathTable.ID(index: Int32(parent)), component))
      depths.append(UInt8(depth))
    }
    return entries
  }

  private static func root(
    _ kind: UInt8, _ columns: inout BlockColumns, _ strings: [String]
  ) throws(DecodeFault) -> Path.Root {
    if kind == PathCode.objectRoot { return .object(ObjectID(try columns[.pathOperands].varint())) }
    return .named(strings[try columns[.pathOperands].varint(below: strings.count, "the name of a root")])
  }

  private static func parent(of id: Int, _ columns: inout BlockColumns) throws(DecodeFault) -> Int {
    let code = try columns[.pathParents].varint(below: id + 1, "the parent of a path")
    let parent = code == 0 ? id - 1 : code - 1
    guard parent >= 0 else { throw columns[.pathParents].fault("path \(id) has no parent") }
    return parent
  }

  private static func component(
    _ kind: UInt8, _ columns: inout BlockColumns, _ values: inout ValueReader, _ strings: [String],
    _ lastIndex: inout Int64
  ) throws(DecodeFault) -> PathComponent {
    switch kind {
    case PathCode.property:
      return .property(strings[try columns[.pathOperands].varint(below: strings.count, "a property")])
    case PathCode.key:
      return .key(strings[try columns[.pathOperands].varint(below: strings.count, "a key")])
    case PathCode.index:
      lastIndex &+= try columns[.pathOperands].zigzag()
      guard let index = Int(exactly: lastIndex) else {
        throw columns[.pathOperands].fault("an index is too large")
      }
      return .index(index)
    case PathCode.id: return .id(try values.next(.pathTable))
    case PathCode.count: return .count
    case PathCode.order: return .order
    case PathCode.exists: return .exists
    default:
      throw columns[.pathParents].fault(
        "a path has a step of kind \(kind), which a newer version must have made")
    }
  }
}
