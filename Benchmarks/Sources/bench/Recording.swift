import EventLog
import Foundation
import Projection

/// A session that records to a file of its own, removed when the measurement lets go of it.
final class RecordingSession {
  let session: Session
  private let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID().uuidString).evlog")
    session = try Session(recordingTo: url)
  }

  /// Completes the log, and gives its size.
  func close() throws -> Int {
    try session.close()
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    return (attributes[.size] as? Int) ?? 0
  }

  deinit {
    do {
      try session.close()
      try FileManager.default.removeItem(at: url)
    } catch {
      print("bench: \(error)")
    }
  }
}
