/// The state that the appending threads and the sealing thread share: the queue of chunks, the last seq at
/// each level of durability, and requests. It decides what the sealing thread does next, and does no work
/// itself.
struct SealState: Sendable {
  /// The queued chunks, oldest first.
  private(set) var chunks: [Chunk] = []
  private var queuedBytes = 0
  /// Used buffers, kept for the next chunks.
  private var spares: [StagedBytes] = []
  /// The time at which the open chunk is sealed even if it is not full.
  var deadline: UInt64?
  /// Events up to here are in the file.
  var writtenSeq: UInt64
  /// Events up to here are on stable storage.
  private(set) var syncedSeq: UInt64
  /// The number of requested syncs, the seq up to which to sync, and the number of requests that are done.
  private var syncsAsked = 0
  private var syncSeq: UInt64 = 0
  private(set) var syncsDone = 0
  /// Whether no more chunks will be queued.
  var isClosing = false
  /// Whether the sealing thread has ended.
  var isFinished = false
  /// The error after which nothing can be written any more.
  var failure: LogError?
  /// The error after which nothing can be synced any more, although the log continues in a new file. A later
  /// sync cannot help: earlier events may be lost, so ``syncedSeq`` stays where it was.
  var syncFailure: LogError?
  /// The reason why nothing can be written at present; writing is tried again.
  var stall: LogError?
  /// The number of attempts to write to a full disk.
  private(set) var tries = 0
  /// The time of the next attempt.
  private(set) var retryAt: UInt64 = 0
  private var isRetryAsked = false
  private var isLastTry = false

  /// Begins after events that are already synced.
  init(after seq: UInt64 = 0) {
    writtenSeq = seq
    syncedSeq = seq
  }

  static let chunksMax = 16
  private static let queuedBytesMax = 16 << 20

  /// Whether a thread must wait before it queues another chunk. An empty queue always has room.
  var isFull: Bool {
    chunks.count >= Self.chunksMax || (queuedBytes >= Self.queuedBytesMax && !chunks.isEmpty)
  }

  mutating func push(_ chunk: Chunk) {
    chunks.append(chunk)
    queuedBytes += chunk.rows.count
  }

  mutating func popSpare() -> StagedBytes? { spares.popLast() }

  mutating func recycle(_ bytes: StagedBytes) {
    if spares.count < 4, bytes.capacity <= 2 << 20 { spares.append(bytes) }
  }

  /// Requests a sync up to a seq. Returns the count of finished requests at which it is done.
  mutating func askSync(upTo seq: UInt64) -> Int {
    syncSeq = max(syncSeq, seq)
    syncsAsked += 1
    return syncsAsked
  }

  mutating func markSynced(_ number: Int = 0, upTo seq: UInt64) {
    if syncFailure != nil { return }
    syncsDone = max(syncsDone, number)
    syncedSeq = max(syncedSeq, seq)
  }

  /// Records that the disk is full; returns whether this was the last attempt.
  mutating func markDiskFull(_ error: LogError, retryAt time: UInt64) -> Bool {
    stall = error
    tries += 1
    retryAt = time
    isRetryAsked = false
    return isLastTry
  }

  /// Requests an immediate attempt if the disk is full. Returns the number of attempts so far.
  mutating func askRetry() -> Int {
    isRetryAsked = stall != nil
    return tries
  }

  /// Whether to try writing again now. A log that is closing gets one last attempt.
  mutating func isRetryDue(at now: UInt64) -> Bool {
    if isClosing { isLastTry = true }
    return isClosing || isRetryAsked || now >= retryAt
  }

  /// The next task of the sealing thread.
  enum Work {
    case seal(Chunk)
    /// The open chunk has waited long enough.
    case sealOpenChunk
    case sync(number: Int, upTo: UInt64)
    case close
  }

  mutating func nextWork() -> Turn<Work> {
    if failure != nil {
      chunks.removeAll()
      return isClosing ? .go(.close) : .wait
    }
    if syncsAsked > syncsDone, writtenSeq >= syncSeq, syncFailure == nil {
      return .go(.sync(number: syncsAsked, upTo: writtenSeq))
    }
    if !chunks.isEmpty {
      let chunk = chunks.removeFirst()
      queuedBytes -= chunk.rows.count
      return .go(.seal(chunk))
    }
    if isClosing { return .go(.close) }
    guard let deadline else { return .wait }
    if monotonicNow() < deadline { return .waitUntil(deadline) }
    self.deadline = nil
    return .go(.sealOpenChunk)
  }
}
