import EventLog
import LogGenerator
import ReplayAnalysis

extension Workspace {
  /// Makes a log from JSON Lines, replacing an existing one, and returns its path.
  func log(_ lines: String, _ name: String) throws -> String {
    var importer = LogImporter()
    let writer = try LogWriter(creating: file(name), options: .replacingExisting)
    for line in lines.split(separator: "\n") {
      if let event = try importer.event(from: Array(line.utf8)) { try writer.append(event) }
    }
    try writer.close()
    return file(name)
  }
}
