import EventLog

/// A log in memory: its events as far as they are whole, and what became of the rest.
struct LoadedLog {
  let path: String
  let events: [Event]
  let bytes: UInt64
  let blocks: Int
  let header: LogHeader
  let isClean: Bool
  /// What is missing, for people; nil when the log was closed and is whole.
  let damage: String?

  /// Reads a whole log.
  ///
  /// - Throws: `ToolError` when there is no such file, `LogError` when it is no log.
  init(path: String, progress: Progress = .hidden) throws {
    self.init(try Self.open(path), progress)
    progress.finish()
  }

  private init(_ reader: LogReader, _ progress: Progress) {
    var events: [Event] = []
    let total = Int(exactly: reader.eventCount) ?? 0
    events.reserveCapacity(total)
    var damage = Self.damage(of: reader)
    do {
      try reader.forEachEvent { event in
        events.append(event)
        progress.note(events.count, of: total, "reading \(reader.path)")
      }
    } catch {
      damage = "\(error)"
    }
    path = reader.path
    self.events = events
    bytes = reader.byteCount
    blocks = reader.blocks.count
    header = reader.header
    isClean = damage == nil
    self.damage = damage.map { "\($0); \(Units.count(events.count, "event")) before it read" }
  }

  private static func open(_ path: String) throws -> LogReader {
    do {
      return try LogReader(path: path)
    } catch {
      guard error.code == .io else { throw error }
      throw ToolError(error.description + Suggestion.text(for: path, among: Platform.neighbours(of: path)))
    }
  }

  private static func damage(of reader: LogReader) -> String? {
    switch reader.tail {
    case .clean: nil
    case .open: "\(reader.path): the log was not closed; its last events may be missing"
    case .torn(let offset, let reason):
      "\(reader.path): torn at byte \(offset) (\(reason)); what follows is lost"
    case .damaged(let error, _): "\(error)"
    }
  }

  /// Says on the errors what is missing, and returns the exit status that goes with it.
  func reportDamage(on console: Console) -> ToolStatus {
    guard let damage else { return .done }
    console.note("replay: \(damage)")
    return .damaged
  }

  /// Nanoseconds from the beginning of the session to the latest event.
  var duration: UInt64 { events.reduce(0) { max($0, $1.time) } }
}
