import BenchSupport
import CPeers
import EventLog
import Foundation

/// How many bytes an edit takes, by how exactly the log keeps times. These figures do not depend on the load.
enum TraceSizes {
  static func run(_ session: EditingSession, name: String) throws {
    let edits = session.edits.count
    print("\nbytes an edit: \(name), \(edits.grouped) edits")
    print(
      "  " + "".padded(to: 28) + "recorded".padded(to: 12) + "compacted".padded(to: 12)
        + "JSON Lines, zstd -19")
    for (pace, text) in [
      (EditingSession.Pace.none, "no times"), (.replay, "100 to 500 us apart"),
      (.person, "as the person typed"),
    ] {
      let events = session.events(pace)
      for (unit, unitText) in [(LogOptions.TimeUnit.microseconds, "us"), (.nanoseconds, "ns")] {
        if pace == .none, unit == .nanoseconds { continue }
        let (recorded, compacted, kept) = try sizes(of: events, unit)
        let lines = try packed(kept)
        let columns = [recorded, compacted, lines].map { (Double($0) / Double(edits)).short.padded(to: 12) }
        print("  " + (pace == .none ? text : "\(text), \(unitText)").padded(to: 28) + columns.joined())
      }
    }
  }

  /// Bytes recorded and compacted, and the events as the log has them.
  private static func sizes(
    of events: [Event], _ unit: LogOptions.TimeUnit
  ) throws -> (recorded: Int, compacted: Int, kept: [Event]) {
    let (file, small) = (try ScratchFile("trace.evlog"), try ScratchFile("small.evlog"))
    var options = LogOptions()
    options.timeUnit = unit
    // The clock cuts no block, so that all blocks are full.
    options.flushInterval = .seconds(3600)
    let writer = try LogWriter(creating: file.path, options: options)
    for event in events { try writer.append(event) }
    try writer.close()
    _ = try LogCompaction.run(file.path, to: small.path)
    var kept: [Event] = []
    try LogReader(path: file.path).forEachEvent { kept.append($0) }
    guard kept.count == events.count else {
      throw BenchError("the log has \(kept.count) of \(events.count) events")
    }
    return (file.byteCount, small.byteCount, kept)
  }

  /// Bytes of the events as lines, all in one frame.
  private static func packed(_ events: [Event]) throws -> Int {
    let lines = Array(events.map { $0.json() + "\n" }.joined().utf8)
    var room = [UInt8](repeating: 0, count: ZSTD_compressBound(lines.count))
    let size = ZSTD_compress(&room, room.count, lines, lines.count, 19)
    if ZSTD_isError(size) != 0 { throw BenchError("zstd refused the lines") }
    return size
  }
}
