/// Limits on one event of a recording, so that any such event fits a block with others.
enum StageLimit {
  /// The most bytes of a staged value; a larger value is replaced by `opaque`.
  static let valueBytesMax = 8 << 20
  /// The most items of a value; a value with more is replaced by `opaque`.
  static let valueItemsMax = 1 << 19
  /// The most entries of a list of reads or causes.
  static let listMax = 1 << 17
  /// The most steps of all paths in a list of reads.
  static let stepsMax = LogFormat.itemsMax / 2
  /// The most bytes of a name, a label or one step of a path.
  static let nameBytesMax = 64 << 10
  /// The number of items at which a chunk is sealed, so that a chunk and the largest value fit a block.
  static let chunkItemsMax = 1 << 17
}

extension Event.Body {
  /// Whether a recording accepts the event unchanged, without replacing its value by `opaque`. Such an event
  /// fits a block together with the rows of a chunk.
  var isRecordable: Bool {
    guard writtenPath?.isRecordable ?? true, projectionName?.isRecordable ?? true else { return false }
    return switch self {
    case .set(_, let value, _), .splice(_, _, _, let value, _): value.isRecordable
    case .projection(_, let parent, _): parent?.isRecordable ?? true
    case .reads(_, let reads): reads.allPaths.areRecordable
    case .invalidate(_, let causes): causes.count <= StageLimit.listMax
    case .begin(let label): label?.isRecordable ?? true
    case .mark(let label): label.isRecordable
    default: true
    }
  }
}

extension [Path] {
  fileprivate var areRecordable: Bool {
    count <= StageLimit.listMax && reduce(0) { $0 + $1.components.count + 1 } <= StageLimit.stepsMax
      && allSatisfy(\.isRecordable)
  }
}

extension String {
  /// Whether a recording accepts the text as a name.
  var isRecordable: Bool { utf8.count <= StageLimit.nameBytesMax }
}

extension Path {
  fileprivate var isRecordable: Bool {
    if case .named(let name) = root, !name.isRecordable { return false }
    return components.allSatisfy { component in
      switch component {
      case .property(let name), .key(let name): name.isRecordable
      case .id(.string(let text)): text.isRecordable
      case .id, .index, .count, .order, .exists: true
      }
    }
  }
}

extension Value {
  fileprivate var isRecordable: Bool {
    var room = ValueRoom()
    return room.take(self, depth: 1)
  }

  /// Whether the nesting of arrays, maps and objects is at most `depth`; a scalar has depth 1.
  func nests(atMost depth: Int) -> Bool {
    if depth < 1 { return false }
    return switch self {
    case .array(let elements): elements.allSatisfy { $0.nests(atMost: depth - 1) }
    case .map(let fields): fields.values.allSatisfy { $0.nests(atMost: depth - 1) }
    case .object(let definition): definition.fields.values.allSatisfy { $0.nests(atMost: depth - 1) }
    default: true
    }
  }
}

/// What is left of the limits on one staged value.
private struct ValueRoom {
  private var items = StageLimit.valueItemsMax
  private var bytes = StageLimit.valueBytesMax

  /// Subtracts the size of a value and returns whether it fits. Some values are counted as slightly larger
  /// than they are.
  mutating func take(_ value: Value, depth: Int) -> Bool {
    items -= 1
    bytes -= 11
    guard depth <= LogFormat.valueDepthMax, items >= 0, bytes >= 0 else { return false }
    switch value {
    case .string(let text): bytes -= text.utf8.count
    case .bytes(let content): bytes -= content.count
    case .opaque(let type, _): bytes -= type.utf8.count
    case .array(let elements):
      for element in elements where !take(element, depth: depth + 1) { return false }
    case .map(let fields):
      for (key, field) in fields where !take(key, field, depth) { return false }
    case .object(let definition):
      bytes -= definition.type.utf8.count
      for (key, field) in definition.fields where !take(key, field, depth) { return false }
    default: break
    }
    return bytes >= 0
  }

  private mutating func take(_ key: String, _ field: Value, _ depth: Int) -> Bool {
    items -= 1
    bytes -= key.utf8.count
    return take(field, depth: depth + 1)
  }
}
