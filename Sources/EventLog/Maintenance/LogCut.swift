/// Writes a range of a log, with the state before it, to a new log.
///
/// ```swift
/// var cut = LogCut()
/// cut.from = .mark("checkout")
/// let result = try cut.run("run.evlog", to: "checkout.evlog")
/// ```
///
/// The range has whole units: if it would begin within a transaction, it begins with the transaction, and it ends
/// with the invalidations that its last event led to. So `replay verify` accepts the part of a log that it accepts.
///
/// Events keep their seqs, also in causes that lie before the range. With ``paths`` or ``projections`` only
/// the events that concern them are kept; these get new seqs, because the seqs of a log have no gaps.
public struct LogCut: Sendable {
  /// One end of the range.
  public enum Bound: Hashable, Sendable {
    /// The event with this seq.
    case seq(UInt64)
    /// A time in nanoseconds since the session began.
    case time(UInt64)
    /// The first mark with this label. As the last event, the first such mark that does not come before the
    /// first event of the range.
    case mark(String)
  }

  /// The result of a cut.
  public struct Result: Sendable {
    /// The range, in seqs of the original log, with whole units.
    public var seqs: ClosedRange<UInt64>
    /// The number of events written.
    public var events: UInt64
    /// The size of the new log in bytes.
    public var bytes: UInt64
    /// Whether the events have new seqs.
    public var isRenumbered: Bool
    /// The part of the original log that could not be read, so that events may be missing.
    public var loss: LogLoss?
  }

  /// The first event of the range; nil for the first event of the log.
  public var from: Bound?
  /// The last event of the range; nil for the last event of the log.
  public var to: Bound?
  /// Keeps the writes to the places to which these paths lead, and the projections that read one of these paths
  /// or that such a write invalidated. Sets of containers and objects are always kept, so that the paths lead to
  /// the same values in the new log.
  public var paths: [PathPattern] = []
  /// Keeps the projections with these names, and the writes to what they read. A name can also be the part
  /// before `#`, and `*` stands for any text.
  public var projections: [String] = []

  /// How much the log may make the reader hold; nil for any amount.
  public var limits: ReadLimits? = .standard

  /// Creates a cut of a whole log.
  public init() {}

  /// Writes the range to a new file.
  ///
  /// Throws `exists` if there is an output already and `replacing` is false, `locked` if the output is being
  /// written, `noSuchEvent` if the range does not exist or contains nothing about one of the paths or
  /// projections, `missingState` if the state before the range is not in the log, and the errors of reading
  /// and writing. An unfinished output is deleted. Memory: two blocks and the recorded state; for a filter
  /// also two bits for each event.
  public func run(
    _ path: String, to output: String, replacing: Bool = false,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(LogError) -> Result {
    try LogReader(path: path, limits: limits).rereading { reader throws(LogError) in
      let range = try CutRange(self, in: reader).seqs
      let file = try RewriteFile(output, replacing: replacing, madeOf: [path])
      return try copy(range, of: reader, to: file, output, progress)
    }
  }

  private func copy(
    _ range: ClosedRange<UInt64>, of reader: LogReader, to file: RewriteFile, _ output: String,
    _ progress: (_ done: UInt64, _ total: UInt64) -> Void
  ) throws(LogError) -> Result {
    let failure: LogError?
    var writer: LogRewriter
    if paths.isEmpty, projections.isEmpty {
      let start = try reader.rewriteStart(at: range.lowerBound)
      writer = try LogRewriter(
        file, path: output, header: reader.header, options: LogOptions(), from: start, limits: limits)
      failure = try reader.copy(into: &writer, upTo: range.upperBound, progress: progress)
    } else {
      // A filter renumbers events, so that two filtered cuts must not pass for parts of one log: each gets a
      // salt of its own.
      let header = reader.header.resalted(
        by: ["cut", "\(range)"] + paths.map { "path \($0)" } + projections.map { "projection \($0)" })
      writer = try LogRewriter(file, path: output, header: header, options: LogOptions(), limits: limits)
      failure = try copyFiltered(reader, range, into: &writer, progress)
    }
    let bytes = try writer.finish()
    let lastRead = failure == nil ? reader.nextSeq - 1 : writer.nextSeq - 1
    // Damage after the range does not affect it.
    let isWhole = failure == nil && to != nil && reader.nextSeq > range.upperBound
    return Result(
      seqs: range, events: writer.events, bytes: bytes, isRenumbered: !(paths.isEmpty && projections.isEmpty),
      loss: isWhole ? nil : LogLoss(reader, lastRead: lastRead, error: failure))
  }
}

// MARK: Bounds

/// The seqs of the events between two bounds.
struct CutRange {
  private(set) var seqs: ClosedRange<UInt64>

  /// Finds the bounds. Cost: one pass over the log if they are times or marks.
  init(_ cut: LogCut, in reader: LogReader) throws(LogError) {
    var search = Search(cut)
    if search.needsEvents { try search.look(through: reader) }
    let (first, last) = (reader.firstSeq, reader.nextSeq - 1)
    func missing(_ message: String) -> LogError {
      LogError(.noSuchEvent, path: reader.path, message: message)
    }
    guard first <= last else { throw missing("the log has no events") }
    guard let lower = cut.from == nil ? first : search.from else {
      throw missing("no event is \(Self.text(cut.from)); the log has events \(first) to \(last)")
    }
    guard let upper = cut.to == nil ? last : search.to else {
      throw missing("no event is \(Self.text(cut.to)); the log has events \(first) to \(last)")
    }
    guard lower >= first, upper <= last else {
      throw missing("the log has events \(first) to \(last), and not all of \(lower) to \(upper)")
    }
    guard lower <= upper else {
      throw missing("`to` (event \(upper)) lies before `from` (event \(lower))")
    }
    seqs = try reader.firstSeq(ofUnitAt: lower)...reader.lastSeq(ofUnitAt: upper)
  }

  private static func text(_ bound: LogCut.Bound?) -> String {
    switch bound {
    case .seq(let seq)?: "event \(seq)"
    case .time(let time)?: "at \(time) ns, or on that side of it"
    case .mark(let label)?: "a mark \(Value.string(label).json)"
    case nil: "there"
    }
  }

  private struct Search {
    private let cut: LogCut
    private(set) var from: UInt64?
    private(set) var to: UInt64?

    init(_ cut: LogCut) {
      self.cut = cut
      if case .seq(let seq)? = cut.from { from = seq }
      if case .seq(let seq)? = cut.to { to = seq }
    }

    var needsEvents: Bool { (cut.from != nil && from == nil) || (cut.to != nil && to == nil) }

    mutating func look(through reader: LogReader) throws(LogError) {
      var found = self
      do {
        try reader.forEachBlock { _, rows in
          var row = Row()
          while try rows.next(&row) { found.look(at: row, rows) }
        }
      } catch let error as LogError {
        // The readable part is searched; the result reports the rest as a loss.
        if error.code != .damaged { throw error }
      } catch {
        throw LogError(.internal, path: reader.path, message: "\(error)")
      }
      self = found
    }

    private mutating func look(at row: borrowing Row, _ rows: borrowing BlockRows) {
      var mark: String?
      if row.kind == .mark, let label = row.label { mark = rows.string(label) }
      switch cut.from {
      case .time(let time) where from == nil && row.time >= time: from = row.seq
      case .mark(let label) where from == nil && mark.hasSameBytes(as: label): from = row.seq
      default: break
      }
      switch cut.to {
      case .time(let time) where row.time <= time: to = row.seq
      case .mark(let label)
      where to == nil && (cut.from == nil || from.map { row.seq >= $0 } ?? false)
        && mark.hasSameBytes(as: label):
        to = row.seq
      default: break
      }
    }
  }
}
