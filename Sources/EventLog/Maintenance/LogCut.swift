/// Takes a part out of a log, with the state before it.
///
/// ```swift
/// var cut = LogCut()
/// cut.from = .mark("checkout")
/// let result = try cut.run("run.evlog", to: "checkout.evlog")
/// ```
///
/// Events keep their numbers, and a cause that lies before the part stays the number it was. With ``paths`` or
/// ``projections`` only the events that concern them are kept, and these are numbered anew: a log has no holes.
public struct LogCut: Sendable {
  /// An end of the part.
  public enum Bound: Hashable, Sendable {
    /// An event.
    case seq(UInt64)
    /// Nanoseconds since the session began.
    case time(UInt64)
    /// The first mark with this label; at the end the first one that is not before the beginning.
    case mark(String)
  }

  /// What a cut made.
  public struct Result: Sendable {
    /// The part, by the numbers in the log that it was taken from.
    public var seqs: ClosedRange<UInt64>
    /// Events that were written.
    public var events: UInt64
    /// Bytes of the new log.
    public var bytes: UInt64
    /// Whether the events have other numbers than before.
    public var isRenumbered: Bool
    /// What could not be read of the log, and so may be missing.
    public var loss: LogLoss?
  }

  /// The first event; nil for the first there is.
  public var from: Bound?
  /// The last event; nil for the last there is.
  public var to: Bound?
  /// Writes of these places are kept, and the projections that read them. Sets of containers and objects are kept
  /// always, so that what remains leads to the same values at these places.
  public var paths: [PathPattern] = []
  /// Projections that are kept by name, or by what comes before `#`, with `*` for anything; writes of what they read
  /// are kept with them.
  public var projections: [String] = []

  /// All of a log.
  public init() {}

  /// Writes the part to a new file.
  ///
  /// Throws `exists` if there is an output already that is not to be replaced, `locked` if that is being written,
  /// `noSuchEvent` if there is no such part, `missingState` if the log does not lead to it, and the errors of reading and
  /// writing; nothing is left of an output that was not finished. Memory: two blocks and the recorded state; for a filter also two bits for each event.
  public func run(
    _ path: String, to output: String, replacing: Bool = false,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(LogError) -> Result {
    try LogReader(path: path).rereading { reader throws(LogError) in
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
      writer = try LogRewriter(file, path: output, header: reader.header, options: LogOptions(), from: start)
      failure = try reader.copy(into: &writer, upTo: range.upperBound, progress: progress)
    } else {
      // Events have other numbers by every filter, so no two of these are parts of one log.
      let header = reader.header.resalted(
        by: ["cut", "\(range)"] + paths.map { "path \($0)" } + projections.map { "projection \($0)" })
      writer = try LogRewriter(file, path: output, header: header, options: LogOptions())
      failure = try copyFiltered(reader, range, into: &writer, progress)
    }
    let bytes = try writer.finish()
    let lastRead = failure == nil ? reader.nextSeq - 1 : writer.nextSeq - 1
    // Damage behind the part does not affect it.
    let isWhole = failure == nil && to != nil && reader.nextSeq > range.upperBound
    return Result(
      seqs: range, events: writer.events, bytes: bytes, isRenumbered: !(paths.isEmpty && projections.isEmpty),
      loss: isWhole ? nil : LogLoss(reader, lastRead: lastRead, error: failure))
  }
}
