import EventLog
import Foundation

/// A path in a directory of its own, removed with the object.
final class TemporaryFile: Sendable {
  let path: String
  private let directory: URL

  init(_ name: String = "run.evlog") throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "evlog-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    path = directory.appending(path: name).path(percentEncoded: false)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  var bytes: [UInt8] {
    get throws { [UInt8](try Data(contentsOf: URL(filePath: path))) }
  }

  func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: path)) }
}

extension LogOptions {
  init(blockEvents: Int) {
    self.init()
    self.blockEvents = blockEvents
    // The clock cuts no block, so that the same events give the same blocks.
    flushInterval = .seconds(3600)
    // Times and durations keep every bit.
    timeUnit = .nanoseconds
  }
}

extension LogReader {
  func allEvents() throws -> [Event] {
    var events: [Event] = []
    try forEachEvent { events.append($0) }
    return events
  }
}
