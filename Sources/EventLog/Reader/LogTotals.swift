/// Counts of a log's contents.
public struct LogTotals: Hashable, Sendable {
  /// The number of events by the name of their kind, as in ``Event/Body`` and in JSON Lines.
  public var events: [String: Int] = [:]
  /// The time from the beginning of the session to the latest event, in nanoseconds.
  public var duration: UInt64 = 0
  /// The number of objects that the events define.
  public var objects = 0
  /// The number of projections that the events name.
  public var projections = 0
}

/// Counts the contents of logs without an index.
package struct LogCounter {
  private var kinds = Array(repeating: 0, count: EventKind.count)
  private var duration: UInt64 = 0
  private var objects = 0
  private var names: Set<ExactString> = []

  package init() {}

  /// Counts the rows of a block. Cost: that of reading them.
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

  /// Counts a row, except for the projection that it names.
  @inline(__always)
  package mutating func add(_ row: borrowing Row) {
    kinds[Int(row.kind.rawValue)] += 1
    duration = max(duration, row.time)
    objects += row.value.definitions
  }

  mutating func addProjection(_ name: String) { names.insert(name) }

  /// The counts so far.
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
  /// The number of objects that the value defines.
  fileprivate var definitions: Int {
    switch self {
    case .array(let elements): elements.reduce(0) { $0 + $1.definitions }
    case .map(let fields): fields.values.reduce(0) { $0 + $1.definitions }
    case .object(let definition): definition.fields.values.reduce(1) { $0 + $1.definitions }
    default: 0
    }
  }
}
