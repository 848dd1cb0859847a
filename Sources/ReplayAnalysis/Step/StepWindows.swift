import EventLog

/// What lies around the points that were looked at last. Each window is derived from the checkpoint before it, so
/// that going anywhere costs a few blocks, however long the log is.
final class StepWindows {
  private let log: LogSource
  /// By where the block around the point begins.
  private var recent: [(block: UInt64, window: StepWindow)] = []
  private static let recentMax = 4

  init(_ log: LogSource) { self.log = log }

  /// What the event brought about, and the transactions around it.
  func window(around seq: UInt64) throws -> StepWindow {
    let block = log.block(from: seq)
    if let known = recent.firstIndex(where: { $0.block == block?.firstSeq }) {
      recent.append(recent.remove(at: known))
      return recent[recent.count - 1].window
    }
    let window = try log.retried { try StepWindow(log.part(from: seq, before: log.block(from: seq)?.endSeq)) }
    recent.append((log.block(from: seq)?.firstSeq ?? seq, window))
    if recent.count > Self.recentMax { recent.removeFirst() }
    return window
  }
}
