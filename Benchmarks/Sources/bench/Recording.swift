import BenchSupport
import EventLog
import Foundation
import Projection

/// A session that records to a file of its own, which is removed with this object unless it was asked for.
final class RecordingSession {
  let session: Session
  private let url: URL
  private let isKept: Bool
  /// Is called with the size of the log when this object goes.
  fileprivate var onEnd: (((bytes: Int, events: Int)) -> Void)?

  /// - Parameter path: Where to keep the log; nil to remove it.
  init(keptAt path: String? = nil) throws {
    isKept = path != nil
    let name = "bench-\(UUID().uuidString).evlog"
    url = path.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory.appending(path: name)
    session = try Session(recordingTo: url, options: .replacingExisting)
  }

  /// Completes the log, and returns its size and the number of its events.
  func close() throws -> (bytes: Int, events: Int) {
    try session.close()
    let log = try LogReader(path: url.path)
    return (Int(log.byteCount), Int(log.eventCount))
  }

  deinit {
    do {
      if let onEnd { onEnd(try close()) } else { try session.close() }
      if !isKept { try FileManager.default.removeItem(at: url) }
    } catch {
      print("bench: \(error)")
    }
  }
}

/// How large logs became.
final class LogSize {
  private(set) var text = ""

  /// Completes the log, and notes its size.
  func note(_ recording: RecordingSession, _ count: Int) throws { note(try recording.close(), count) }

  /// Notes the size when the recording goes, so that completing the log is not measured.
  func noteAtEnd(_ recording: RecordingSession, _ count: Int) {
    recording.onEnd = { [self] size in note(size, count) }
  }

  private func note(_ size: (bytes: Int, events: Int), _ count: Int) {
    let (each, event) = (Double(size.bytes) / Double(count), Double(size.bytes) / Double(size.events))
    text = "\(each.short) bytes each, \(event.short) an event"
  }
}
