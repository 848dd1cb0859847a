import ArgumentParser
import EventLog

/// A point in a run: an event by its number, or a time as `1.5s`, `250ms`.
enum Moment: ExpressibleByArgument, Equatable {
  case seq(UInt64)
  case time(UInt64)

  init?(argument: String) {
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

  /// The last event at or before this moment; the one before the first when that is earlier.
  func seq(in log: LogSource) throws -> UInt64 {
    switch self {
    case .time(let time): return log.lastEvent(upTo: time)?.seq ?? log.firstSeq - 1
    case .seq(let seq):
      guard seq <= log.lastSeq else {
        throw ToolError("\(log.path): there is no event \(seq); the last is \(log.lastSeq)")
      }
      guard seq + 1 >= log.firstSeq else {
        throw ToolError("\(log.path): event \(seq) is not in this log; the first is \(log.firstSeq)")
      }
      return seq
    }
  }

  /// Whether an event lies before this moment.
  func isAfter(_ eventSeq: UInt64, _ eventTime: UInt64) -> Bool {
    switch self {
    case .seq(let seq): eventSeq < seq
    case .time(let time): eventTime < time
    }
  }

  /// Whether an event lies behind this moment.
  func isBefore(_ eventSeq: UInt64, _ eventTime: UInt64) -> Bool {
    switch self {
    case .seq(let seq): eventSeq > seq
    case .time(let time): eventTime > time
    }
  }
}
