/// The numbers of the events between two bounds.
struct CutRange {
  private(set) var seqs: ClosedRange<UInt64>

  /// Finds the bounds. Cost: a pass over the log where they are times or marks.
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
      throw missing("event \(upper), the last, lies before event \(lower), the first")
    }
    seqs = lower...upper
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
        // What can be read is searched; the rest is told with the result.
        if error.code != .damaged { throw error }
      } catch {
        throw LogError(.internal, path: reader.path, message: "\(error)")
      }
      self = found
    }

    private mutating func look(at row: borrowing Row, _ rows: borrowing BlockRows) {
      switch cut.from {
      case .time(let time) where from == nil && row.time >= time: from = row.seq
      case .mark(let label)
      where from == nil && row.kind == .mark && rows.tables.string(row.name).hasSameBytes(as: label):
        from = row.seq
      default: break
      }
      switch cut.to {
      case .time(let time) where row.time <= time: to = row.seq
      case .mark(let label)
      where to == nil && (cut.from == nil || from.map { row.seq >= $0 } ?? false) && row.kind == .mark
        && rows.tables.string(row.name).hasSameBytes(as: label):
        to = row.seq
      default: break
      }
    }
  }
}
