import SystemPackage

/// What became of a log that had not been closed, or was damaged.
///
/// Nothing of the original is ever deleted, and recovering twice changes nothing:
/// - A log that is whole is left as it is; one that only was not closed is completed.
/// - A log with a *torn* end, as a killed process or a loss of power leaves it, loses that end, which is kept beside
///   it as `.torn`. The log is then as if it had been closed.
/// - A log that is *damaged* in the middle is not touched. What can be read is written to new logs: one up to the
///   damage, and one for each whole stretch behind it, which begins after event 1 and keeps its seqs.
///
/// A block whose checksums are right and that says what cannot be, by itself or by the events before it, is damage: no
/// reader gets past it. Behind damage the state is known again from the next checkpoint on; a new log begins there, too.
///
/// Blocks behind a gap are taken for a torn end if none of the events in the gap had been synced: a loss of power
/// may keep later writes and lose earlier ones.
public struct LogRecovery: Sendable {
  /// What was done.
  public enum Outcome: String, Sendable {
    /// Nothing: the log was whole.
    case whole
    /// It had not been closed, and was completed.
    case completed
    /// It had a torn end, which was cut off and kept.
    case cut
    /// What can be read was written to new logs.
    case salvaged
  }

  /// A log that is whole now.
  public struct Log: Hashable, Sendable {
    /// The file.
    public var path: String
    /// The seq of its first event.
    public var firstSeq: UInt64
    /// The seq that comes next.
    public var nextSeq: UInt64
    /// Whether the state is known before its first event. Without it events can be read, and not be followed.
    public var hasState = true
  }

  /// A block that is whole and says what cannot be.
  public struct Fault: Hashable, Sendable {
    /// Where it begins in the file.
    public var offset: UInt64
    /// The seq of its first event.
    public var first: UInt64
    /// The seq of its last.
    public var last: UInt64
    /// What it says that cannot be.
    public var reason: String
  }

  /// Events that are in no log now.
  public struct LostRange: Hashable, Sendable {
    /// The seq of the first.
    public var first: UInt64
    /// The seq of the last; nil if it is not known how many there were, if any.
    public var last: UInt64?
  }

  /// What was done.
  public internal(set) var outcome: Outcome
  /// The logs that are whole now, in order of their events.
  public internal(set) var logs: [Log]
  /// What could not be read.
  public internal(set) var lost: [LostRange] = []
  /// Blocks that were left out for what they say; their events are among those lost.
  public internal(set) var faults: [Fault] = []
  /// Where what was cut off is kept.
  public internal(set) var tornPaths: [String] = []
  /// Where in the file blocks that can be read stopped.
  public internal(set) var offset: UInt64?
  /// Why they stopped there.
  public internal(set) var reason: String?

  /// Recovers a log. With an output the log is not touched, and what can be read is written there.
  ///
  /// Throws `locked` while a writer has the log open, `notALog` if no block can be read, `exists` if there is
  /// something else where a new log is to go and that is not to be replaced, and `io`. Cost: linear in the log.
  public static func recover(
    _ path: String, to output: String? = nil, replacing: Bool = false
  ) throws(LogError) -> LogRecovery {
    try recover(path, to: output, replacing: replacing, in: SystemFileSystem())
  }

  /// - Parameter checksContents: Whether to look at what the blocks say. A writer takes events that fit nothing, too; what
  ///   it left need not be more than whole to be completed.
  package static func recover(
    _ path: String, to output: String? = nil, replacing: Bool = false, checksContents: Bool = true,
    in fileSystem: any LogFileSystem
  ) throws(LogError) -> LogRecovery {
    let job = try RecoveryJob(path, in: fileSystem)
    let survey = job.survey
    guard survey.prefix.blocks.isEmpty == false || survey.later.isEmpty == false else {
      throw LogError(
        .notALog, path: path, byteOffset: 0,
        message: "\(survey.reason ?? "the file is empty"): no block of a log can be read")
    }
    if output == nil, !survey.isDamaged {
      if !checksContents { return try job.cut() }
      let contents = try LogContents([survey.prefix.blocks], of: survey, in: job.set)
      if contents.faults.isEmpty {
        var recovery = try job.cut()
        recovery.logs[0].hasState = contents.pieces.first?.hasState ?? true
        return recovery
      }
    }
    let contents = try LogContents(survey.stretches, of: survey, in: job.set)
    return try job.salvage(
      contents, to: output ?? LogPath(path).inserting("recovered"), replacing: replacing)
  }
}

extension LogRecovery {
  /// The events of a log that no block holds any more, without recovering anything. Empty for a log that is whole, or
  /// that only was not closed.
  ///
  /// Throws `notALog` if no block can be read, and `io`. Cost: linear in the log.
  public static func lostRanges(of path: String) throws(LogError) -> [LostRange] {
    try remains(of: path).lost
  }

  /// The same, with the events that can be read, in order. Cost: linear in the log.
  package static func remains(
    of path: String
  ) throws(LogError) -> (lost: [LostRange], kept: [ClosedRange<UInt64>]) {
    let set: SegmentSet
    do { set = try SegmentSet(path, in: SystemFileSystem()) } catch {
      throw LogError(.io, path: path, errno: error.rawValue, message: "cannot open the log: \(error)")
    }
    let survey = try LogSurvey(set, path: path)
    let pieces = survey.stretches.map { LogContents.Piece(blocks: $0) }
    let kept = pieces.filter(\.hasEvents).map { $0.firstSeq...($0.nextSeq - 1) }
    return (survey.end < survey.fileSize ? survey.lost(keeping: pieces) : [], kept)
  }
}
