import SystemPackage

/// The result of recovering a log that had not been closed, or was damaged.
///
/// Recovery never deletes anything of the original, and recovering twice gives the same result:
/// - A log that is whole is left as it is. A log that is only unclosed is completed.
/// - If the end of a log is *torn*, as after a killed process or a loss of power, that end is cut off and
///   kept beside the log as `.torn`. The log is then the same as if it had been closed.
/// - A log that is *damaged* in the middle is not changed. Its readable blocks are written to new logs: one
///   up to the damage, and one for each whole stretch after it, which begins after event 1 and keeps its
///   seqs. If not one whole event can be read, no log is written.
///
/// A block with right checksums is damage, too, if its rows cannot be decoded or do not fit the events before
/// it, because no reader gets past it. After damage the state is known again from the next checkpoint on, and
/// a new log begins there as well.
///
/// Blocks after a gap are taken for a torn end if no event in the gap had been synced, because a loss of
/// power may keep later writes and lose earlier ones.
public struct LogRecovery: Sendable {
  /// What recovery did.
  public enum Outcome: String, Sendable {
    /// Nothing, because the log was whole.
    case whole
    /// The log had not been closed, and was completed.
    case completed
    /// The log had a torn end, which was cut off and kept.
    case cut
    /// The readable blocks were written to new logs.
    case salvaged
    /// Nothing, because not one whole event can be read, so that a new log would be empty.
    case nothing
  }

  /// A log that recovery left or made whole.
  public struct Log: Hashable, Sendable {
    /// The file.
    public var path: String
    /// The seq of its first event.
    public var firstSeq: UInt64
    /// The seq that follows its last event.
    public var nextSeq: UInt64
    /// Whether the state before its first event is known. If not, events can be read but not applied.
    public var hasState = true
  }

  /// A block whose bytes are whole but whose contents are invalid.
  public struct Fault: Hashable, Sendable {
    /// The offset in the file at which it begins.
    public var offset: UInt64
    /// The seq of its first event.
    public var first: UInt64
    /// The seq of its last event.
    public var last: UInt64
    /// Why its contents are invalid.
    public var reason: String
  }

  /// A range of events that no resulting log holds.
  public struct LostRange: Hashable, Sendable {
    /// The seq of the first lost event.
    public var first: UInt64
    /// The seq of the last lost event; nil if it is not known how many events there were, or whether there
    /// were any.
    public var last: UInt64?
  }

  /// What recovery did.
  public internal(set) var outcome: Outcome
  /// The whole logs that result, in order of their events.
  public internal(set) var logs: [Log]
  /// The events that could not be read.
  public internal(set) var lost: [LostRange] = []
  /// The blocks left out because of their contents; their events are among those lost.
  public internal(set) var faults: [Fault] = []
  /// The paths of the files that hold what was cut off.
  public internal(set) var tornPaths: [String] = []
  /// The offset in the file at which the readable blocks from the front end.
  public internal(set) var offset: UInt64?
  /// Why they end there.
  public internal(set) var reason: String?

  /// Recovers a log. With an `output` the log is not changed, and its readable blocks are written there.
  ///
  /// Throws `locked` while a writer has the log open, `notALog` if no block can be read, `exists` if a new
  /// log would have to replace a different file without permission, `overLimit` if the log takes more than
  /// the limits allow, and `io`. Cost: linear in the log.
  ///
  /// - Parameters:
  ///   - path: The first file of the log.
  ///   - output: The file to write; nil to repair the log in place.
  ///   - replacing: Whether `output` may be replaced.
  ///   - limits: As for ``LogReader/init(path:scanned:limits:)``.
  public static func recover(
    _ path: String, to output: String? = nil, replacing: Bool = false, limits: ReadLimits? = .standard
  ) throws(LogError) -> LogRecovery {
    try recover(path, to: output, replacing: replacing, limits: limits, in: SystemFileSystem())
  }

  /// - Parameter checksContents: Whether to check that rows decode and events fit the state. A writer also
  ///   accepts events that fit no state, so completing its log requires only that the bytes are whole.
  package static func recover(
    _ path: String, to output: String? = nil, replacing: Bool = false, checksContents: Bool = true,
    limits: ReadLimits? = nil, in fileSystem: any LogFileSystem
  ) throws(LogError) -> LogRecovery {
    let job = try RecoveryJob(path, limits: limits, in: fileSystem)
    let survey = job.survey
    guard survey.prefix.blocks.isEmpty == false || survey.later.isEmpty == false else {
      throw LogError(
        .notALog, path: path, byteOffset: 0,
        message: "\(survey.reason ?? "the file is empty"): no block of a log can be read")
    }
    if output == nil, !survey.isDamaged {
      if !checksContents { return try job.cut() }
      let contents = try LogContents([survey.prefix.blocks], of: survey, limits: limits, in: job.set)
      if contents.faults.isEmpty {
        var recovery = try job.cut()
        recovery.logs[0].hasState = contents.pieces.first?.hasState ?? true
        return recovery
      }
    }
    let contents = try LogContents(survey.stretches, of: survey, limits: limits, in: job.set)
    return try job.salvage(
      contents, to: output ?? LogPath(path).inserting("recovered"), replacing: replacing)
  }
}

extension LogRecovery {
  /// The events that a recovery of the log would lose, and those that can be read, in order; nothing is changed. None are
  /// lost of a log that is whole or only unclosed.
  ///
  /// Throws `notALog` if no block can be read, and `io`. Cost: linear in the log.
  package static func remains(
    of path: String, limits: ReadLimits?
  ) throws(LogError) -> (lost: [LostRange], kept: [ClosedRange<UInt64>]) {
    let set: SegmentSet
    do { set = try SegmentSet(path, in: SystemFileSystem()) } catch {
      throw LogError(opening: path, error)
    }
    let survey = try LogSurvey(set, path: path, limits: limits)
    let pieces = survey.stretches.map { LogContents.Piece(blocks: $0) }
    let kept = pieces.filter(\.hasEvents).map { $0.firstSeq...($0.nextSeq - 1) }
    return (survey.end < survey.fileSize ? survey.lost(keeping: pieces) : [], kept)
  }
}
