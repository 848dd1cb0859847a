/// The bodies of the blocks that make a checkpoint.
enum CheckpointBlocks {
  /// A body, and where to split it.
  typealias Body = (body: [UInt8], splits: [Int])

  /// The events as the columns of one block, or of several where they are many. Nil if one is over a limit.
  static func bodies(of events: [Event.Body], time: UInt64) -> [Body]? {
    var stage = Stage(path: "")
    var builder = BlockBuilder()
    var bodies: [Body] = []
    do {
      for event in events {
        guard event.fitsBlock else { return nil }
        _ = try stage.append(event, time: time, cause: nil, site: nil)
        // Rows go on at once, so that the state is not in memory twice more.
        if stage.chunk.rows.count >= 1 << 20 { try move(&stage, to: &builder, &bodies) }
      }
      try move(&stage, to: &builder, &bodies)
    } catch {
      return nil
    }
    if builder.events > 0 { bodies.append(builder.takeBody()) }
    return bodies.allSatisfy { $0.body.count <= LogFormat.payloadBytesMax - LogFormat.prefixSize }
      ? bodies : nil
  }

  private static func move(
    _ stage: inout Stage, to builder: inout BlockBuilder, _ bodies: inout [Body]
  ) throws {
    let chunk = stage.takeChunk(reusing: nil)
    var position = RowPosition(startOf: chunk)
    while !position.isAtEnd {
      builder.take(chunk, from: &position)
      if builder.isFull { bodies.append(builder.takeBody()) }
    }
  }
}

extension Event.Body {
  /// Whether the value would be staged as it is, and not as an `opaque` that stands for it.
  fileprivate var fitsBlock: Bool {
    switch self {
    case .set(_, let value, _), .splice(_, _, _, let value, _):
      var room = ValueRoom()
      return room.take(value, depth: 1)
    default: return true
    }
  }
}

/// What is left of the limits on one staged value.
private struct ValueRoom {
  private var items = StageLimit.valueItemsMax
  private var bytes = StageLimit.valueBytesMax

  /// Whether a value fits; a little is counted for more than it takes.
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
