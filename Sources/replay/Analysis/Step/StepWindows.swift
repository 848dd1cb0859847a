import EventLog

/// What lies around the points that were looked at last. Each window is derived from the checkpoint before it, so
/// that going anywhere costs a few blocks, however long the log is.
final class StepWindows {
  private let log: LogSource
  private var recent: [(block: Int, window: StepWindow)] = []
  private static let recentMax = 4

  init(_ log: LogSource) { self.log = log }

  /// What the event brought about, and the transactions around it.
  func window(around seq: UInt64) throws -> StepWindow {
    let block = log.index(of: seq)
    if let known = recent.firstIndex(where: { $0.block == block }) {
      recent.append(recent.remove(at: known))
      return recent[recent.count - 1].window
    }
    let window = try StepWindow(log.part(from: seq, before: block + 1))
    recent.append((block, window))
    if recent.count > Self.recentMax { recent.removeFirst() }
    return window
  }
}
