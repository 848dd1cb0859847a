/// Limits on one event of a recording, so that it fits a block.
///
/// The block of a larger event has no room for others, so the event gets a block of its own.
enum StageLimit {
  /// The most bytes that the value and the path of an event take, as ``ValueSize`` counts them. What is left of
  /// a block is for names, and for longer paths in a copy of the log.
  static let eventBytesMax = 15 << 20
  /// The most items of an event's value, and of its list of reads or causes.
  static let eventItemsMax = LogFormat.itemsMax - 1 << 16
  /// The most bytes of an event that shares a block with others.
  static let sharedBytesMax = 1 << 20
  /// The most items of an event that shares a block with others.
  static let sharedItemsMax = 1 << 17
  /// The number of items at which a chunk is sealed.
  static let chunkItemsMax = 1 << 17
}

extension Event.Body {
  /// Whether the event fits a block together with the rows of a chunk.
  var sharesBlock: Bool {
    guard writtenPath?.isShort ?? true, projectionName?.isRecordable ?? true else { return false }
    return switch self {
    case .set(_, let value, _), .splice(_, _, _, let value, _): value.sharesBlock
    case .projection(_, let parent, _): parent?.isRecordable ?? true
    case .reads(_, let reads): reads.allPaths.size.isWithin(.shared)
    case .invalidate(_, let causes): causes.count <= StageLimit.sharedItemsMax
    case .begin(let label): label?.isRecordable ?? true
    case .mark(let label), .action(let label): label.isRecordable
    default: true
    }
  }
}

extension String {
  /// Whether a recording accepts the text as a name.
  var isRecordable: Bool { utf8.count <= LogFormat.nameBytesMax }

  /// The text, if a recording accepts it as a name. Otherwise its beginning and a hash of it, so that different
  /// texts are different names.
  package var asName: String {
    // A little room is left for a number at the end.
    if utf8.count <= LogFormat.nameBytesMax - 32 { return self }
    let hash = String(XXH64.hash(Array(utf8)), radix: 16)
    return String(unicodeScalars.prefix(1000)) + "…" + hash
  }
}

extension Value {
  /// Whether an event with this value fits a block together with the rows of a chunk. Such a value also nests
  /// no deeper than a block allows. Cost: constant for a number, and at most linear in the size.
  package var sharesBlock: Bool {
    switch self {
    case .null, .bool, .int, .uint, .double, .date, .reference, .redacted: return true
    case .string(let text): return text.utf8.count <= StageLimit.sharedBytesMax - ValueSize.valueBytes
    case .bytes(let bytes): return bytes.count <= StageLimit.sharedBytesMax - ValueSize.valueBytes
    default:
      var size = ValueSize()
      return size.add(self, within: .shared)
    }
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
