/// The strings and paths of a block, by the ids in its rows.
///
/// A reader with its own ids can map the ids of a block once, and then handle rows without touching strings.
/// Parents come before their children, so one pass over the paths is enough.
public struct BlockTables: Sendable {
  /// One decoded step of a path.
  public struct Step: Sendable {
    @usableFromInline let parentNumber: UInt32
    /// A ``PathCode``.
    let kind: UInt8
    /// The number of steps from the root, 0 for the root itself.
    public let depth: UInt8
    /// Depends on the kind: the index of a string, an object's number, an array index, or an index into
    /// `ids`.
    let operand: UInt64

    /// The id of the path without its last step, whose index is smaller; nil for a root.
    @inlinable public var parent: BlockPathID? { BlockPathID(number: parentNumber) }
  }

  /// The last step of each path, by its index.
  public internal(set) var steps: [Step] = []
  var ids: [Value] = []
  let strings: StringSlices

  init(strings: StringSlices = StringSlices()) { self.strings = strings }

  /// Reads the tables, and returns the reader of the values that follow the ids of paths.
  static func read(_ columns: inout BlockColumns) throws(DecodeFault) -> (BlockTables, ValueReader) {
    var tables = BlockTables(strings: try StringSlices(&columns))
    var values = ValueReader(&columns, strings: tables.strings)
    try values.expectWholeDoubles()
    try values.spend(tables.stringCount)
    try tables.readPaths(&columns, &values)
    return (tables, values)
  }

  /// The number of strings.
  public var stringCount: Int { strings.count }

  /// The string with an id, newly created. Cost: linear in its length.
  public func string(_ id: StringID) -> String { strings[id.index] }

  /// The last component of a path; nil for a root.
  public func component(_ id: BlockPathID) -> PathComponent? {
    let step = steps[id.index]
    return step.parent == nil ? nil : component(step)
  }

  /// The whole path with an id. Cost: linear in its depth.
  public func path(_ id: BlockPathID) -> Path {
    var components: [PathComponent] = []
    var step = steps[id.index]
    components.reserveCapacity(Int(step.depth))
    while let parent = step.parent {
      components.append(component(step))
      step = steps[parent.index]
    }
    components.reverse()
    let isNamed = step.kind == PathCode.namedRoot
    return Path(
      root: isNamed ? .named(strings[Int(step.operand)]) : .object(ObjectID(step.operand)),
      components: components)
  }

  /// Whether a name may be longer than any that a session records.
  var hasLongNames: Bool { strings.longest > LogFormat.nameBytesMax }

  /// About the bytes that a path takes. Cost: linear in its depth.
  func bytes(ofPath id: BlockPathID) -> Int {
    var (bytes, next) = (0, Optional(id))
    while let id = next {
      let step = steps[id.index]
      bytes += MemoryLayout<PathComponent>.stride + nameBytes(step.kind, step.operand)
      next = step.parent
    }
    return bytes
  }

  private func nameBytes(_ kind: UInt8, _ operand: UInt64) -> Int {
    switch kind {
    case PathCode.namedRoot, PathCode.property, PathCode.key: strings.length(Int(operand))
    default: 0
    }
  }

  private func component(_ step: Step) -> PathComponent {
    switch step.kind {
    case PathCode.property: .property(strings[Int(step.operand)])
    case PathCode.key: .key(strings[Int(step.operand)])
    case PathCode.index: .index(Int(Int64(bitPattern: step.operand)))
    case PathCode.id: .id(ids[Int(step.operand)])
    case PathCode.count: .count
    case PathCode.order: .order
    default: .exists
    }
  }
}

// MARK: Paths

extension BlockTables {
  /// Reads the path table, and the ids in it from the values.
  mutating func readPaths(_ columns: inout BlockColumns, _ values: inout ValueReader) throws(DecodeFault) {
    var kinds = columns.remove(.pathKinds)
    var parents = columns.remove(.pathParents)
    var operands = columns.remove(.pathOperands)
    guard kinds.remaining <= LogFormat.itemsMax else {
      throw kinds.fault("the block holds over \(LogFormat.itemsMax) paths")
    }
    steps.reserveCapacity(min(kinds.remaining, 1 << 14))
    var lastIndex: Int64 = 0
    // The bytes of the names in each path; needed only if names are long.
    var nameBytes: [Int] = []
    while !kinds.isAtEnd {
      let kind = try kinds.byte()
      let isRoot = kind == PathCode.namedRoot || kind == PathCode.objectRoot
      let parent = isRoot ? nil : try Self.parent(of: steps.count, &parents)
      let operand: UInt64
      switch kind {
      case PathCode.namedRoot, PathCode.property, PathCode.key:
        operand = UInt64(try operands.varint(below: stringCount, "a name in a path"))
      case PathCode.objectRoot: operand = try operands.object().number
      case PathCode.index:
        let start = operands.position
        lastIndex &+= try operands.zigzag()
        guard lastIndex >= 0, Int(exactly: lastIndex) != nil else {
          throw DecodeFault(reason: "a path has the index \(lastIndex)", offset: start)
        }
        operand = UInt64(bitPattern: lastIndex)
      case PathCode.id:
        operand = UInt64(ids.count)
        ids.append(try values.nextID())
      case PathCode.count, PathCode.order, PathCode.exists: operand = 0
      default:
        throw parents.fault("a path has a step of kind \(kind), which a newer version must have made")
      }
      let depth = parent.map { Int(steps[$0].depth) + 1 } ?? 0
      guard depth <= Path.maximumDepth else {
        throw parents.fault("a path is over \(Path.maximumDepth) components deep")
      }
      if hasLongNames {
        nameBytes.append((parent.map { nameBytes[$0] } ?? 0) + self.nameBytes(kind, operand))
        guard nameBytes[steps.count] <= LogFormat.pathBytesMax else {
          throw parents.fault("the names in a path have over \(LogFormat.pathBytesMax) bytes")
        }
      }
      try values.spend(depth + 1)
      let number = parent.map { UInt32($0) } ?? .max
      steps.append(Step(parentNumber: number, kind: kind, depth: UInt8(depth), operand: operand))
    }
    try parents.expectEnd("column pathParents")
    try operands.expectEnd("column pathOperands")
  }

  private static func parent(of id: Int, _ parents: inout ByteReader) throws(DecodeFault) -> Int {
    let code = try parents.varint(below: id + 1, "the parent of a path")
    let parent = code == 0 ? id - 1 : code - 1
    guard parent >= 0 else { throw parents.fault("path \(id) has no parent") }
    return parent
  }
}

// MARK: Strings

/// The string table of a block as slices of its payload. Strings are created only on request.
struct StringSlices: Sendable {
  private let bytes: [UInt8]
  /// The offset in the payload at which the first string begins, then the offset at which each string ends.
  private var ends: [UInt32] = []
  /// The length of the longest string, in bytes.
  private(set) var longest = 0

  var count: Int { max(0, ends.count - 1) }

  /// Creates an empty table.
  init() { bytes = [] }

  /// Finds the strings and checks that all of them are valid UTF-8.
  init(_ columns: inout BlockColumns) throws(DecodeFault) {
    var lengths = columns.remove(.stringLengths)
    var text = columns.remove(.stringBytes)
    bytes = text.bytes
    // A length takes at least one byte, so this is an upper bound for the number of strings.
    guard lengths.remaining <= LogFormat.itemsMax else {
      throw lengths.fault("the block holds over \(LogFormat.itemsMax) strings")
    }
    ends.reserveCapacity(lengths.remaining + 1)
    ends.append(UInt32(text.position))
    let isASCII = text.isASCII
    while !lengths.isAtEnd {
      let length = try lengths.varint()
      // If all of the text is ASCII, any slice of it is valid.
      if isASCII {
        _ = try text.skip(length, "a string of the table")
      } else {
        _ = try text.text(length, "a string of the table")
      }
      ends.append(UInt32(text.position))
      longest = max(longest, Int(length))
    }
    try text.expectEnd("the string table")
  }

  subscript(id: Int) -> String {
    String(decoding: bytes[Int(ends[id])..<Int(ends[id + 1])], as: UTF8.self)
  }

  /// The length of a string in bytes.
  func length(_ id: Int) -> Int { Int(ends[id + 1] - ends[id]) }

  /// Calls the body with the bytes of a string.
  func withBytes<T>(_ id: Int, _ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
    bytes.withUnsafeBufferPointer {
      body(UnsafeBufferPointer(rebasing: $0[Int(ends[id])..<Int(ends[id + 1])]))
    }
  }
}

/// The strings of a block that have been created so far, by their ids.
struct MadeStrings: Sendable {
  private var made: [String?] = []

  mutating func string(_ id: Int, in strings: StringSlices) -> String {
    if made.isEmpty { made = Array(repeating: nil, count: strings.count) }
    if let string = made[id] { return string }
    let string = strings[id]
    made[id] = string
    return string
  }
}
