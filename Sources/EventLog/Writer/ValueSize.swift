/// What a value or a list of paths takes of the two limits on a block, at most.
struct ValueSize {
  /// Bytes of the block's columns.
  var bytes = 0
  /// What ``LogFormat/itemsMax`` limits: values, keys, strings, and the steps of paths.
  var items = 0

  /// The most bytes of a value besides its text and the names in it: a tag and a number.
  static let valueBytes = 12
  /// The most bytes of a name in the table of strings besides its text, and of one use of it.
  private static let nameBytes = 8
  /// The most bytes of a further use of a name.
  private static let nameUseBytes = 4
  /// The most bytes of a path in the table of paths, and of one use of it.
  fileprivate static let pathBytes = 16

  /// The room for an event that shares a block.
  static let shared = ValueSize(bytes: StageLimit.sharedBytesMax, items: StageLimit.sharedItemsMax)
  /// The room for an event in a block of its own.
  static let event = ValueSize(bytes: StageLimit.eventBytesMax, items: StageLimit.eventItemsMax)

  func isWithin(_ room: ValueSize) -> Bool { bytes <= room.bytes && items <= room.items }

  /// The larger part that it takes of the two limits.
  func share(of room: ValueSize) -> Double {
    max(Double(bytes) / Double(max(room.bytes, 1)), Double(items) / Double(room.items))
  }

  static func += (size: inout ValueSize, other: ValueSize) {
    size.bytes += other.bytes
    size.items += other.items
  }

  static func -= (size: inout ValueSize, other: ValueSize) {
    size.bytes -= other.bytes
    size.items -= other.items
  }

  /// The size of a value without its parts.
  init(of value: Value) {
    items = 1
    bytes = Self.valueBytes
    switch value {
    case .string(let text): bytes += text.utf8.count
    case .bytes(let content): bytes += content.count
    case .object(let definition):
      bytes += Self.nameUseBytes
      self += ValueSize(ofName: definition.type)
    case .opaque(let type, _): self += ValueSize(ofName: type)
    default: break
    }
  }

  /// The size of a text that is in the table of strings, and of one use of it.
  init(ofName name: String) {
    bytes = Self.nameBytes + name.utf8.count
    items = 2
  }

  init(bytes: Int = 0, items: Int = 0) {
    self.bytes = bytes
    self.items = items
  }

  /// Adds a value with its parts, counting each use of a name as if it were the only one. Returns false as soon
  /// as the sum is over a limit, or if the value nests too deep.
  mutating func add(_ value: Value, within room: ValueSize, depth: Int = 1) -> Bool {
    self += ValueSize(of: value)
    guard isWithin(room), depth <= LogFormat.valueDepthMax else { return false }
    switch value {
    case .array(let elements):
      if elements.isEmpty { return true }
      if depth == LogFormat.valueDepthMax { return false }
      for element in elements {
        if element.isNumber {
          // A number needs no call, so that a series of them takes little.
          bytes += Self.valueBytes
          items += 1
        } else if !add(element, within: room, depth: depth + 1) {
          return false
        }
      }
      return isWithin(room)
    case .map(let fields): return add(fields, within: room, depth: depth + 1)
    case .object(let definition): return add(definition.fields, within: room, depth: depth + 1)
    default: break
    }
    return true
  }

  private mutating func add(_ fields: NamedValues<Value>, within room: ValueSize, depth: Int) -> Bool {
    fields.allFields { name, field in
      self += ValueSize(ofName: name)
      return add(field, within: room, depth: depth)
    } && isWithin(room)
  }

  /// The size of a value with its parts, counting each name once. Cost: a hash for each use of a name.
  init(exactlyOf value: Value) {
    var names: Set<ExactString> = []
    add(value, &names)
  }

  private mutating func add(_ value: Value, _ names: inout Set<ExactString>) {
    self += ValueSize(of: value)
    switch value {
    case .array(let elements): for element in elements { add(element, &names) }
    case .map(let fields): add(fields, &names)
    case .object(let definition): add(definition.fields, &names)
    default: break
    }
  }

  private mutating func add(_ fields: NamedValues<Value>, _ names: inout Set<ExactString>) {
    fields.forEachField { name, field in
      self +=
        names.insert(ExactString(name)).inserted
        ? ValueSize(ofName: name) : ValueSize(bytes: Self.nameUseBytes, items: 1)
      add(field, &names)
    }
  }
}

extension Value {
  /// Whether it takes no room besides its tag and its number.
  @inline(__always)
  fileprivate var isNumber: Bool {
    switch self {
    case .null, .bool, .int, .uint, .double, .date: true
    default: false
    }
  }
}

// MARK: Paths

extension Path {
  /// The bytes of all names in the path.
  var textBytes: Int {
    var bytes = 0
    if case .named(let name) = root { bytes += name.utf8.count }
    for component in components { bytes += component.textBytes }
    return bytes
  }

  /// Whether an event with this path may share a block.
  var isShort: Bool { textBytes <= LogFormat.nameBytesMax }

  /// What the path takes in a block at most: each path that it begins with is in the block's table, and counts
  /// with all of its steps.
  package var itemsAtMost: Int {
    let steps = components.count + 1
    return steps * (steps + 1) / 2 + steps + 1
  }
}

extension Reads {
  /// Calls the body with a change of reads, or with several if one does not fit an event.
  package static func forEachChange(added: [Path], dropped: [Path], _ body: (Reads) -> Void) {
    if ValueSize(of: added, dropped).isWithin(.event) { return body(.change(added: added, dropped: dropped)) }
    for list in dropped.inLists { body(.change(added: [], dropped: list)) }
    for list in added.inLists { body(.change(added: list, dropped: [])) }
  }
}

extension ValueSize {
  /// What two lists of paths take in a block, at most.
  init(of list: [Path], _ other: [Path]) {
    self = list.size
    if !other.isEmpty { self += other.size }
  }
}

extension PathComponent {
  fileprivate var textBytes: Int {
    switch self {
    case .property(let name), .key(let name): name.utf8.count
    case .id(.string(let text)): text.utf8.count
    default: 0
    }
  }
}

extension [Path] {
  /// What a list of paths takes in a block, at most.
  var size: ValueSize {
    reduce(into: ValueSize()) { size, path in
      size += ValueSize(
        bytes: path.textBytes + ValueSize.pathBytes * (path.components.count + 1), items: path.itemsAtMost)
    }
  }

  /// The paths in lists that fit an event each.
  fileprivate var inLists: [[Path]] {
    var lists: [[Path]] = []
    var room = ValueSize()
    for path in self {
      room += [path].size
      if lists.isEmpty || !room.isWithin(.event) {
        lists.append([])
        room = [path].size
      }
      lists[lists.count - 1].append(path)
    }
    return lists
  }

  /// The same, counting each path and each name once. Cost: two hashes for each step.
  var exactSize: ValueSize {
    var table = PathTable()
    for path in self { _ = table.intern(path) }
    var size = ValueSize(bytes: ValueSize.pathBytes * count, items: count)
    var names: Set<ExactString> = []
    var depths: [Int] = []
    for entry in table.entries {
      var depth = 1
      var name: String?
      switch entry {
      case .root(.named(let root)): name = root
      case .root(.object): break
      case .step(let parent, let component):
        depth += depths[Int(parent.index)]
        switch component {
        case .property(let text), .key(let text): name = text
        case .id(let id): size += ValueSize(of: id)
        default: break
        }
      }
      depths.append(depth)
      size += ValueSize(bytes: ValueSize.pathBytes, items: depth)
      if let name, names.insert(ExactString(name)).inserted { size += ValueSize(ofName: name) }
    }
    return size
  }
}
