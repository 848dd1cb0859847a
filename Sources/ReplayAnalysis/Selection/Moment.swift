import EventLog

/// A point in a run: an event's seq, a time as `1.5s` or `250ms`, or the label of one of the app's marks.
package enum Moment: Equatable, Sendable {
  case seq(UInt64)
  case time(UInt64)
  case mark(String)

  /// The forms that can be typed, for help texts.
  package static let form = "17, 1.5s, 250ms or mark:LABEL"

  /// Parses an argument; nil if it has none of these forms.
  package init?(argument: String) {
    if argument.hasPrefix("mark:") {
      self = .mark(Self.label(String(argument.dropFirst(5))))
      return
    }
    if let seq = UInt64(argument) {
      self = .seq(seq)
      return
    }
    let units: [(String, Double)] = [("ns", 1), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 6e10)]
    for (unit, scale) in units where argument.hasSuffix(unit) {
      let digits = argument.dropLast(unit.count)
      guard digits.utf8.allSatisfy({ ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2E }), let amount = Double(digits),
        let time = UInt64(exactly: (amount * scale).rounded())
      else { continue }
      self = .time(time)
      return
    }
    return nil
  }

  /// The label of a mark, without the quotes in which it is shown and may be typed: `"refresh"`.
  static func label(_ text: String) -> String {
    guard text.count > 1, text.hasPrefix("\""), text.hasSuffix("\""),
      case .string(let label)? = try? Value(parsing: text)
    else { return text }
    return label
  }

  /// The last event at or before this moment; the one before the log's first event if the moment is earlier.
  /// For a mark, its first event with this label from `start` on.
  ///
  /// - Throws: `AnalysisError` when there is no such event.
  package func seq(in log: LogSource, from start: UInt64 = 0) throws -> UInt64 {
    switch self {
    case .time(let time): log.lastEvent(upTo: time)?.seq ?? log.firstSeq - 1
    case .seq(let seq): try log.check(seq)
    case .mark(let label): try log.mark(label, from: start)
    }
  }

  /// The first event at or after this moment.
  ///
  /// - Throws: `AnalysisError` when there is none.
  func firstSeq(in log: LogSource) throws -> UInt64 {
    guard case .time(let time) = self else { return try seq(in: log) }
    if let event = log.firstEvent(from: time) { return event.seq }
    throw AnalysisError(log, .nothingFrom(time: time, last: log.event(log.lastSeq)?.time))
  }
}

extension LogSource {
  /// The seq, if the log has it or it is the one before the first; else throws.
  fileprivate func check(_ seq: UInt64) throws -> UInt64 {
    guard seq <= lastSeq else { throw AnalysisError(self, .noEvent(seq: seq, last: lastSeq)) }
    guard seq + 1 >= firstSeq else { throw AnalysisError(self, .earlierEvent(seq: seq, first: firstSeq)) }
    return seq
  }

  /// Cost: a pass over the log up to the mark.
  fileprivate func mark(_ label: String, from start: UInt64) throws -> UInt64 {
    var run = LogRun(self, [])
    while try run.next() {
      if run.row.kind == .mark, run.row.seq >= start, run.label.hasSameBytes(as: label) { return run.row.seq }
    }
    let nearest = Suggestion.nearest(to: label, among: LogNames(self).marks)
    throw AnalysisError(
      self, .noMark(label: label, from: start > firstSeq ? start : nil, nearest: nearest))
  }

  /// The first event at or after a time, found by the times at which blocks begin; nil if there is none.
  fileprivate func firstEvent(from time: UInt64) -> Event? {
    retried {
      var next = blocks.last { $0.baseTime <= time }?.firstSeq ?? firstSeq
      while let block = block(from: next) {
        if let event = events(from: next).first(where: { $0.time >= time }) { return event }
        next = block.endSeq
      }
      return nil
    }
  }
}
