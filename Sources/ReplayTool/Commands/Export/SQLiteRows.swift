import EventLog
import Foundation
import GRDB
import Invalidation
import ReplayAnalysis

/// The rows of the tables, made of a run.
struct SQLiteRows {
  private let log: Statement
  private let paths: Statement
  private let projections: Statement
  private let events: Statement
  private let reads: Statement
  private let invalidations: Statement
  private let causes: Statement
  private var pathIDs = NumberedIDs()
  private var nameIDs = NumberedIDs()
  private var invalidationCount: Int64 = 0

  init(_ db: Database) throws {
    func insert(_ table: String, _ count: Int, texts: Set<Int> = []) throws -> Statement {
      let marks = (1...count).map { texts.contains($0) ? "CAST(? AS TEXT)" : "?" }.joined(separator: ",")
      return try db.makeStatement(sql: "INSERT INTO \(table) VALUES (\(marks))")
    }
    log = try insert("log", 2, texts: [2])
    paths = try insert("paths", 3, texts: [2, 3])
    projections = try insert("projections", 3, texts: [2, 3])
    events = try insert("events", 17, texts: [6, 17])
    reads = try insert("reads", 3)
    invalidations = try insert("invalidations", 5)
    causes = try insert("causes", 2)
  }

  func note(_ key: String, _ value: String) throws { try log.execute(arguments: [key, value.bindable]) }

  /// Adds what a selection of a log holds.
  mutating func add(_ part: LogSource, _ selection: Selection, _ progress: AnalysisProgress) throws {
    var run = Run(part, progress: progress)
    while try run.next(), run.row.seq < selection.seqs.upperBound {
      guard run.row.seq >= selection.seqs.lowerBound else { continue }
      try addEvent(&run)
      for hit in run.hits { try add(hit, &run) }
    }
    progress.finish()
  }

  private mutating func addEvent(_ run: inout Run) throws {
    let row = run.row
    guard let seq = Int64(exactly: row.seq) else {
      throw ToolError("\(run.log.path): event \(row.seq) has a number that is too large for SQLite")
    }
    let write = try run.path.map { try id(ofPath: $0, run) }
    let name = try run.name.map { try id(ofName: $0, run) }
    let parent = try run.parent.map { try id(ofName: $0, run) }
    let isWrite = write != nil
    events.setUncheckedArguments([
      seq, Int64(clamping: row.time), row.kind.name,
      row.cause > 0 ? Int64(clamping: row.cause) : nil, Int64(clamping: run.root(of: row.seq).seq),
      run.site?.bindable,
      write, isWrite && row.kind != .remove ? row.value.json : nil, row.kind == .splice ? row.offset : nil,
      row.kind == .splice ? row.delete : nil, isWrite ? row.isSameValue : nil, name, parent,
      row.kind == .projection ? row.tracking.rawValue : nil,
      row.kind == .evaluate ? Int64(clamping: row.duration) : nil,
      row.kind == .evaluate ? row.changed : nil, run.label?.bindable,
    ])
    try events.execute()
    guard row.kind == .reads, let name else { return }
    for path in run.readPaths {
      let path = try id(ofPath: path, run)
      try reads.execute(arguments: [seq, name, path])
    }
  }

  private mutating func add(_ hit: NumberedTimeline.Hit, _ run: inout Run) throws {
    invalidationCount += 1
    let root = run.root(of: run.row.seq)
    let name = try id(ofName: hit.name, run)
    try invalidations.execute(arguments: [
      invalidationCount, Int64(clamping: run.row.seq), name, Int64(clamping: root.seq), root.depth,
    ])
    for cause in hit.causes.all {
      try causes.execute(arguments: [invalidationCount, Int64(clamping: cause)])
    }
  }

  private mutating func id(ofPath path: Int, _ run: borrowing Run) throws -> Int64 {
    if let known = pathIDs.id(of: path, generation: run.tables.generation) { return known }
    let place = run.tables.paths.path(path)
    let (id, isNew) = pathIDs.add(path, generation: run.tables.generation, place.description)
    if isNew { try paths.execute(arguments: [id, place.description.bindable, place.group.bindable]) }
    return id
  }

  private mutating func id(ofName name: Int, _ run: borrowing Run) throws -> Int64 {
    if let known = nameIDs.id(of: name, generation: 0) { return known }
    let text = run.tables.names[name]
    let (id, isNew) = nameIDs.add(name, generation: 0, text)
    if isNew { try projections.execute(arguments: [id, text.bindable, text.projectionGroup.bindable]) }
    return id
  }
}

extension String {
  /// The text as it is bound to a column that is cast to text: GRDB ends one at its first zero.
  fileprivate var bindable: any DatabaseValueConvertible {
    if utf8.contains(0) { return Data(utf8) }
    return self
  }
}

/// The numbers in the database of what a run numbers otherwise, and for a generation only.
private struct NumberedIDs {
  private var known = PathMap<Int32?>(default: nil)
  private var ids: [ExactString: Int32] = [:]

  func id(of number: Int, generation: Int) -> Int64? { known[number, generation].map { Int64($0) } }

  mutating func add(_ number: Int, generation: Int, _ text: String) -> (id: Int64, isNew: Bool) {
    let old = ids[text]
    let id = old ?? Int32(ids.count + 1)
    if old == nil { ids[text] = id }
    known[number, generation] = id
    return (Int64(id), old == nil)
  }
}
