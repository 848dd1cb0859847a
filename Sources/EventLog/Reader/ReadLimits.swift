/// How much a log may make its reader hold.
///
/// A few hundred bytes of a file can stand for gigabytes: a block unpacks to ten thousand times its size, a
/// state grows with every event, one event can invalidate everything that lives. So a reader counts what it
/// holds, and ends with an `overLimit` error once that is too much. The bounds are far above what recorded
/// programs reach, except that the state of a large one may need a higher ``memory``.
public struct ReadLimits: Hashable, Sendable {
  /// About how many bytes of memory a log may take; half of them are for its state. All other bounds grow
  /// with this number.
  public var memory: Int

  /// The limits for logs from anywhere: 512 MiB.
  public static let standard = ReadLimits()

  /// Creates limits.
  ///
  /// - Parameter memory: As ``memory``. Less than a mebibyte counts as one.
  public init(memory: Int = 512 << 20) { self.memory = min(max(memory, 1 << 20), 1 << 50) }
}

extension ReadLimits {
  /// The bytes that the state and its readers may take.
  package var stateBytes: Int { memory / 2 }

  /// The bytes that the cascades may take that further events can still join.
  package var cascadeBytes: Int { memory / 4 }

  /// The bytes that the names of projections may take, or the list of what one of them reads.
  package var nameBytes: Int { memory / 8 }

  /// The bytes that the header of a log may have. The names and texts of its metadata take some twenty times as much in
  /// memory, and commands sort and show them.
  package var headerBytes: Int { memory / 256 }

  /// Throws if a block is a header that is too large, before that is read as text.
  func checkHeader(_ payload: [UInt8], at offset: UInt64, of path: String) throws(LogError) {
    guard payload.count > headerBytes, (try? BlockPrefix(decoding: payload))?.kind == BlockKind.header else {
      return
    }
    throw .overLimit(
      path, at: offset,
      "the header, with its metadata, takes \(payload.count) bytes, and it may take \(headerBytes)")
  }

  /// Throws if an event lists more paths as read than can be kept. A path takes a byte in a block, and much
  /// more in memory.
  package func checkReads(_ row: borrowing Row, of rows: borrowing BlockRows) throws(StateError) {
    guard row.kind == .reads, rows.listsMuch, rows.listedPathBytes > nameBytes else { return }
    throw .overLimit("the paths that it lists would take over \(nameBytes >> 20) MiB")
  }

  /// The bytes that events may move in memory; see ``State/work``.
  package var work: UInt64 { 32 * UInt64(memory) }

  /// How many invalidations events may lead to by this event, the number of which counts from the first event
  /// that was read. A recorded program adds an event of its own for each.
  package func invalidations(byEvent number: UInt64) -> UInt64 { UInt64(memory / 256) &+ 64 &* number }

  /// The bytes that the blocks of a file may unpack to. Recorded programs reach some thirty times the size of
  /// the file.
  func unpackedBytes(ofFile size: UInt64) -> UInt64 {
    let (share, overflow) = size.multipliedReportingOverflow(by: 256)
    return overflow ? .max : share.addingReportingOverflow(4 * UInt64(memory)).partialValue
  }

  /// The bytes that a file may become as text, where each event has all the names that it refers to.
  package func textBytes(ofFile size: UInt64) -> UInt64 {
    let (share, overflow) = size.multipliedReportingOverflow(by: 4096)
    return overflow ? .max : share.addingReportingOverflow(UInt64(memory / 4)).partialValue
  }

  /// What a block counts against the limit: an event takes some memory even if it takes no bytes.
  static func unpackedBytes(_ block: BlockInfo) -> UInt64 {
    UInt64(block.payloadSize + 64 * block.eventCount)
  }
}

extension LogError {
  /// The error for a log that takes more than ``ReadLimits`` allow.
  static func overLimit(_ path: String, at offset: UInt64? = nil, _ message: String) -> LogError {
    LogError(.overLimit, path: path, byteOffset: offset, message: message + StateError.limitAdvice)
  }

  /// The error for an event that makes a state too large.
  static func overLimit(_ path: String, at offset: UInt64?, _ failure: StateFold.Failure) -> LogError {
    LogError(.overLimit, path: path, byteOffset: offset, message: "\(failure)")
  }
}

extension StateError {
  /// The error for an event after which a log takes more than ``ReadLimits`` allow.
  package static func overLimit(_ reason: String) -> StateError {
    var error = StateError(nil, reason + limitAdvice)
    error.isOverLimit = true
    return error
  }

  fileprivate static let limitAdvice = "; raise the limit if you trust the log"
}
