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
        guard event.isRecordable else { return nil }
        _ = try stage.append(event, time: time, cause: nil, site: nil)
        // Rows go on at once, so that the state is not in memory twice more.
        if stage.chunk.rows.count >= 1 << 20 { try move(&stage, to: &builder, &bodies) }
      }
      try move(&stage, to: &builder, &bodies)
    } catch {
      return nil
    }
    if builder.events > 0 { bodies.append(builder.takeBody()) }
    return bodies.allSatisfy { $0.body.count <= LogFormat.bodyBytesMax }
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
