import EventLog
import Parquet
import ReplayAnalysis
import SystemPackage

/// Adds sessions to those of a partition. A session that comes again replaces itself; one that comes with fewer events than
/// before, such as a copy that was cut short, does not. Files with few sessions become one, so that a partition to which a
/// session is added every minute has as few files as one that was written at once.
///
/// Must be made and run while the folder of the tables is locked.
struct SummaryMerge {
  /// What a run adds to a partition: its sessions with the number of their events, and its logs.
  struct Added {
    fileprivate var events: [SessionKey: UInt64] = [:]
    fileprivate var logs: Set<SessionKey> = []

    mutating func insert(_ rows: SummaryRows) {
      logs.insert(SessionKey(rows.uri))
      if let id = rows.sessionID, let events = rows.events { self.events[SessionKey(id)] = events }
    }
  }

  /// The number of sessions that the partition has and keeps.
  private(set) var kept = 0
  private let folder: String
  private let partition: SummaryPartition
  private let format: SummaryFormat
  private let limits: SummaryLimits
  private var added: Added
  /// The number of files with what is added.
  private let newParts: Int
  /// The sessions that the partition has with more events than they come with.
  private var outdated: Set<SessionKey> = []
  /// Files that stay as they are, and files whose rows are written anew.
  private var whole: [String] = []
  private var parts: [String] = []
  /// The columns of dimensions that the files have.
  private var dimensions: Set<String> = []

  /// A file of fewer bytes, and of fewer than half as many sessions as a file may have, is joined with others.
  private static let smallBytes = 16 << 20

  /// Reads what a partition has.
  ///
  /// - Throws: `ToolError` if that cannot be read.
  init(
    in folder: String, _ partition: SummaryPartition, _ format: SummaryFormat, _ added: Added, parts: Int,
    _ limits: SummaryLimits
  ) throws {
    (self.folder, self.partition, self.format) = (folder, partition, format)
    (self.added, newParts, self.limits) = (added, parts, limits)
    do {
      for name in try SummaryPart.names(in: folder, partition) { try read(name) }
    } catch { throw refusal(error) }
  }

  /// Why nothing can be added to the partition.
  private func refusal(_ error: any Error) -> any Error {
    error is ToolError
      ? ToolError("\(error); what is in \(partition.path) is replaced only with --replace") : error
  }

  private mutating func read(_ name: String) throws {
    func rows(_ table: SummaryTable, _ columns: [String]) throws -> TableRows {
      try TableRows("\(folder)/\(table.rawValue)/\(partition.path)/\(name)", of: table, columns: columns)
    }
    var (count, isTouched) = (0, SummaryFormat(ofFile: name) != format)
    var replaced: [SessionKey] = []
    let sessions = try rows(.sessions, ["session_id", "events", "schema_version"])
    dimensions.formUnion(sessions.dimensions)
    while let row = try sessions.next() {
      guard let id = row[0].text else { throw ToolError("\(folder)/\(name): a row has no session_id") }
      guard row[2] == .integer(SummaryTable.schemaVersion) else {
        throw ToolError("\(folder): the tables are of another version")
      }
      let key = SessionKey(id)
      if let events = added.events[key], events >= row[1].count {
        replaced.append(key)
        continue
      }
      if added.events[key] != nil { outdated.insert(key) }
      count += 1
    }
    if !replaced.isEmpty { isTouched = true }
    let failures = try rows(.failures, ["session_id", "log_uri", "code"])
    while !isTouched, let row = try failures.next() {
      isTouched = isReplaced(row[0].text, log: row[1].text ?? "", code: row[2].text)
    }
    kept += count
    let isSmall =
      count < limits.sessions / 2
      && SummaryPart.byteCount(in: folder, partition, name: name) < Self.smallBytes
    if isTouched || isSmall { parts.append(name) } else { whole.append(name) }
  }

  /// Whether the partition has anything besides what is added.
  var isNeeded: Bool { kept > 0 || !whole.isEmpty || !outdated.isEmpty || !parts.isEmpty }

  /// Whether a failure that the partition has is one of a log that comes again.
  private func isReplaced(_ id: String?, log: String, code: String?) -> Bool {
    if added.logs.contains(SessionKey(log)) { return id.map { !outdated.contains(SessionKey($0)) } ?? true }
    // That of another log with the same id stays.
    guard let id, code != SummaryFailure.Reason.duplicate.rawValue else { return false }
    return added.events[SessionKey(id)] != nil && !outdated.contains(SessionKey(id))
  }

  /// Writes the whole partition.
  ///
  /// - Parameters:
  ///   - new: The folder of the tables of what is added.
  ///   - output: A folder for the tables of the whole.
  func run(new: String, into output: String, _ dimensions: [String]) throws {
    do {
      for name in whole {
        for table in SummaryTable.allCases {
          let place = "\(table.rawValue)/\(partition.path)"
          if let error = Platform.makePrivateFolders("\(output)/\(place)") { throw Errno(rawValue: error) }
          try Platform.linkOrCopy("\(folder)/\(place)/\(name)", to: "\(output)/\(place)/\(name)")
        }
      }
      let sources = [
        try Source(folder, partition, parts, isNew: false),
        try Source(
          new, partition, (0..<newParts).map { "\(SummaryPart.name($0)).\(format.rawValue)" }, isNew: true),
      ]
      let all = Set(dimensions).union(self.dimensions).sorted()
      let first = (whole.compactMap { SummaryPart.number(of: $0) }.max() ?? -1) + 1
      var writer = SummaryWriter(
        output, partition, format, Array(all.prefix(SummaryPlan.dimensionsMax)), limits, firstPart: first)
      while let source = Self.next(of: sources) {
        guard var rows = try source.next() else { continue }
        drop(&rows, isNew: source.isNew)
        if !rows.isEmpty { try writer.add(rows) }
      }
      if writer.partCount == 0, whole.isEmpty {
        try writer.openPart(SummaryPart.name(0), SummaryTable.allCases)
      }
      try writer.closePart()
    } catch { throw refusal(error) }
  }

  /// The one whose log comes first; nil if both are at their end.
  private static func next(of sources: [Source]) -> Source? {
    sources.filter { $0.log != nil }.min { a, b in
      if let a = a.log, let b = b.log { a < b } else { false }
    }
  }

  /// Removes rows in whose place others come.
  private func drop(_ rows: inout SummaryRows, isNew: Bool) {
    let key = rows.sessionID.map { SessionKey($0) }
    let isOutdated = key.map { outdated.contains($0) } ?? false
    if isNew {
      if isOutdated, rows.events != nil { rows.removeAll() }
      return
    }
    let code = rows[.failures].first?[SummaryTable.failures.common.count].text
    if isReplaced(rows.sessionID, log: rows.uri, code: code) { rows.removeFailures() }
    if let key, added.events[key] != nil, !isOutdated { rows.removeSession() }
  }

  /// Files of which each is read to its end before the next.
  private final class Source {
    let isNew: Bool
    private let folder: String
    private let partition: SummaryPartition
    private var names: ArraySlice<String>
    private var part: SummaryPart?

    init(_ folder: String, _ partition: SummaryPartition, _ names: [String], isNew: Bool) throws {
      (self.folder, self.partition, self.isNew) = (folder, partition, isNew)
      self.names = names[...]
      try open()
    }

    /// The log whose rows come next; nil after the last.
    var log: ExactString? { part?.nextLog.map { ExactString($0) } }

    private func open() throws {
      while part?.nextLog == nil, let name = names.popFirst() {
        // Checks that nothing is left of the one before.
        _ = try part?.next()
        part = try SummaryPart(in: folder, partition, name: name)
      }
    }

    func next() throws -> SummaryRows? {
      let rows = try part?.next()
      if part?.nextLog == nil {
        _ = try part?.next()
        try open()
      }
      return rows
    }
  }
}

/// A 16-byte hash of a session's id, or of a path, since there may be millions. Collisions are practically impossible.
struct SessionKey: Hashable {
  private let first: UInt64
  private let second: UInt64

  init(_ id: String) {
    let bytes = Array(id.utf8)
    first = XXH64.hash(bytes)
    second = XXH64.hash(bytes, seed: 1)
  }
}
