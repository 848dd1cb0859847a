import EventLog

/// A screen of rows whose clock invalidates all rows, although it changes one: a run for tests that watch a log
/// grow.
struct GrowingRun {
  /// How many events a turn of the clock has.
  static let turn = UInt64(rows) + 4
  private static let rows = 50
  /// Nanoseconds between two events.
  private let step: UInt64
  private let writer: LogWriter
  private(set) var seq: UInt64 = 0
  private var cause: UInt64 = 0

  /// Begins the log, with the first turn.
  init(_ path: String, eventsPerSecond: Int) throws {
    var options = LogOptions()
    options.program = "growing"
    options.replacesExisting = true
    writer = try LogWriter(creating: path, options: options)
    step = UInt64(1_000_000_000 / max(1, eventsPerSecond))
    let fields: NamedValues<Value> = [
      "tick": .int(0), "rows": .array((0..<Self.rows).map { _ in .int(0) }),
    ]
    try add(
      .set(
        Path(root: .named("store")),
        .object(ObjectDefinition(id: ObjectID(1), type: "Store", fields: fields)),
        sameValue: false))
    try add(.projection(name: "Clock", parent: nil, tracking: .property))
    try add(.reads(projection: "Clock", .paths([Self.path("tick")])))
    for row in 0..<Self.rows {
      try add(.projection(name: "Row#\(row)", parent: nil, tracking: .element))
      try add(.reads(projection: "Row#\(row)", .paths([Self.path("tick"), Self.path("rows", row)])))
    }
    try turn()
  }

  /// One turn: the clock, which runs all of them, and a row.
  mutating func turn() throws {
    let number = seq / Self.turn
    cause = try add(.set(Self.path("tick"), .int(Int64(number)), sameValue: false))
    try add(.evaluate(projection: "Clock", duration: 3000, changed: true))
    let changed = Int(number % UInt64(Self.rows))
    for row in 0..<Self.rows {
      try add(.evaluate(projection: "Row#\(row)", duration: 2000 + UInt64(row) * 10, changed: row == changed))
    }
    cause = 0
    cause = try add(.set(Self.path("rows", changed), .int(Int64(number)), sameValue: false))
    try add(.evaluate(projection: "Row#\(changed)", duration: 2000, changed: true))
    cause = 0
  }

  func ensureWritten() throws { try writer.ensure(.written) }

  func close() throws { try writer.close() }

  @discardableResult
  private mutating func add(_ body: Event.Body) throws -> UInt64 {
    seq += 1
    let cause = body.kind == .evaluate && cause > 0 ? cause : nil
    return try writer.append(body, time: seq * step, cause: cause)
  }

  private static func path(_ name: String, _ index: Int? = nil) -> Path {
    Path(root: .named("store"), components: [.property(name)] + (index.map { [.index($0)] } ?? []))
  }
}
