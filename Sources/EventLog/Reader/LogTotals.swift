/// What a log holds, in numbers.
public struct LogTotals: Hashable, Sendable {
  /// Events by the name of their kind, as in ``Event/Body`` and in JSON Lines.
  public var events: [String: Int] = [:]
  /// Nanoseconds from the beginning of the session to the latest event.
  public var duration: UInt64 = 0
  /// How many objects the events define.
  public var objects = 0
  /// How many projections the events are about.
  public var projections = 0
}

/// Totals in the making, for logs that have no index.
package struct LogCounter {
  private var kinds = Array(repeating: 0, count: EventKind.count)
  private var duration: UInt64 = 0
  private var objects = 0
  private var names: Set<ExactString> = []

  package init() {}

  /// Takes in the rows of a block. Cost: that of reading them.
  package mutating func add(_ rows: inout BlockRows) throws {
    var row = Row()
    var isKnown = Array(repeating: false, count: rows.tables.stringCount)
    while try rows.next(&row) {
      add(row)
      if let projection = row.projection, !isKnown[projection.index] {
        isKnown[projection.index] = true
        addProjection(rows.tables.string(projection))
      }
    }
  }

  /// Takes in a row, but for the projection that it names.
  @inline(__always)
  package mutating func add(_ row: borrowing Row) {
    kinds[Int(row.kind.rawValue)] += 1
    duration = max(duration, row.time)
    objects += row.value.definitions
  }

  /// Takes in the name of a projection.
  mutating func addProjection(_ name: String) { names.insert(name) }

  /// What was counted so far.
  package var totals: LogTotals {
    LogTotals(kinds: kinds, duration: duration, objects: objects, projections: names.count)
  }
}

extension LogTotals {
  init(kinds: [Int], duration: UInt64, objects: Int, projections: Int) {
    self.init(events: [:], duration: duration, objects: objects, projections: projections)
    for (kind, count) in kinds.enumerated() where count > 0 {
      events[EventKind(rawValue: UInt8(kind))?.name ?? ""] = count
    }
  }
}

extension Value {
  /// How many objects the value defines.
  fileprivate var definitions: Int {
    switch self {
    case .array(let elements): elements.reduce(0) { $0 + $1.definitions }
    case .map(let fields): fields.values.reduce(0) { $0 + $1.definitions }
    case .object(let definition): definition.fields.values.reduce(1) { $0 + $1.definitions }
    default: 0
    }
  }
}
