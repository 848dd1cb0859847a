/// Decides when a log that is being written gets a checkpoint, and makes it.
///
/// The state is folded from what was sealed, not taken from the engine: plain writers get checkpoints too.
struct Checkpointer {
  private var rows: RowFold
  /// Events and bytes since the last checkpoint.
  private var events = 0
  private var bytes = 0
  /// Bytes that the last checkpoint took, or would have.
  private var size = 0

  private let eventsMin: Int
  private let bytesMin: Int
  /// A checkpoint may take this share of the log.
  private static let share = 8

  /// Begins before the first event, or behind what a fold took in.
  init(_ options: LogOptions, after fold: StateFold = StateFold()) {
    rows = RowFold(fold)
    eventsMin = max(options.checkpointEvents, 1)
    bytesMin = max(options.checkpointBytes, 1)
  }

  /// Takes in the rows of a chunk, which took so many bytes in the file.
  mutating func take(_ chunk: Chunk, bytes: Int) {
    rows.take(chunk)
    events += chunk.events
    self.bytes += bytes
  }

  /// The seq that comes next.
  var nextSeq: UInt64 { rows.fold.seq + 1 }
  /// The time of the last event.
  var time: UInt64 { rows.fold.time }

  /// Whether a transaction is open.
  var isInTransaction: Bool { rows.fold.openTransactions > 0 }

  /// Whether there is enough log for another checkpoint, if it is not larger than the one before.
  var isDue: Bool {
    (events >= eventsMin || bytes >= bytesMin) && bytes >= Self.share * size
      && rows.fold.openTransactions == 0
  }

  /// The blocks of a checkpoint after what was taken in; nil when there can be none: an event did not fit the state,
  /// or one of the state's values does not fit a block.
  mutating func bodies() -> [CheckpointBlocks.Body]? {
    guard let events = rows.checkpoint() else { return nil }
    guard let bodies = CheckpointBlocks.bodies(of: events, time: time) else {
      // What is too large will mostly stay: the next look comes after twice as much log.
      size = 2 * bytes / Self.share
      return nil
    }
    return bodies
  }

  /// Whether a checkpoint of this size is worth it now. Asks again later if not.
  mutating func accepts(_ size: Int) -> Bool {
    self.size = size
    return bytes >= Self.share * size
  }

  /// Notes that a checkpoint was written.
  mutating func noteWritten() {
    events = 0
    bytes = 0
  }
}
