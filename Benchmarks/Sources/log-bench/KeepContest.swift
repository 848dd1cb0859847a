import BenchSupport
import EventLog

/// A way to keep sets in files.
protocol EventKeeper: AnyObject {
  /// Creates the files in a directory of their own.
  init(_ file: ScratchFile) throws
  /// Keeps a set.
  func keep(_ step: Workload.Step) throws
  /// Returns when all sets are in the files and survive a loss of power.
  func finish() throws
}

extension Contest {
  /// The same sets kept in every way, from the first to all of them on disk.
  static func keep(_ operations: Int) -> Contest {
    Contest(
      title: "keep \(operations.grouped) Int sets on disk, until all are synced",
      operations: operations,
      contenders: [
        .keeping("LogWriter: columns, zstd level 3, checksums", EventLogKeeper.self),
        .keeping("JSON lines", JSONLinesKeeper.self),
        .keeping("JSON lines, zstd level 3", ZstdJSONLinesKeeper.self),
        .keeping("SQLite through GRDB: WAL, 4,096 a transaction", SQLiteKeeper.self),
      ])
  }
}

/// The bytes that the last round took on disk.
private final class Size {
  var bytesPerEvent = 0.0
}

extension Contest.Contender {
  static func keeping<K: EventKeeper>(_ name: String, _ type: K.Type) -> Self {
    let size = Size()
    return Self(name: name, note: { "\(size.bytesPerEvent.short) bytes an event" }) { count in
      let file = try ScratchFile("kept")
      let keeper = try K(file)
      return {
        var workload = Workload()
        for _ in 0..<count { try keeper.keep(workload.next()) }
        try keeper.finish()
        size.bytesPerEvent = Double(file.byteCount) / Double(count)
      }
    }
  }
}

/// The log of this package.
final class EventLogKeeper: EventKeeper {
  private let writer: LogWriter
  private let paths: [LogWriter.InternedPath]

  init(_ file: ScratchFile) throws {
    let writer = try LogWriter(creating: file.path)
    self.writer = writer
    try writer.append(Workload.root, time: 0)
    paths = try Workload.paths.map { path throws(LogError) in try writer.intern(path) }
  }

  func keep(_ step: Workload.Step) throws {
    try writer.set(paths[step.path], .int(step.value), time: step.time)
  }

  func finish() throws { try writer.close() }
}
