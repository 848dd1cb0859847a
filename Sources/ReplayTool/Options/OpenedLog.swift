import EventLog
import ReplayAnalysis

extension LogSource {
  /// Opens a log that was named on the command line. Where there is none of that name, the error has the nearest.
  ///
  /// - Parameters:
  ///   - isScanned: Whether each block is looked at, and no index believed.
  ///   - needsState: Whether a log that begins in the middle of a session without the state there is refused.
  convenience init(named path: String, isScanned: Bool = false, needsState: Bool = true) throws {
    do {
      try self.init(path: path, isScanned: isScanned, needsState: needsState)
    } catch {
      guard error.code == .io, !Platform.isFolder(path) else { throw error }
      throw ToolError(error.description + Suggestion.text(for: path, among: Platform.neighbours(of: path)))
    }
  }
}
