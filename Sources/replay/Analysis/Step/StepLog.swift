import EventLog

/// A log to move about in: what lies around a point is derived from the checkpoint before it, so that going anywhere
/// costs a few blocks, however long the log is.
final class StepLog {
  let whole: LogSource
  /// What could not be read on the way.
  private(set) var damage: String?
  /// How many transactions are open before each block, where no index tells.
  private lazy var depths = countDepths()
  private var windows: [(block: Int, window: StepWindow)] = []
  private static let windowsMax = 4

  init(_ whole: LogSource) { self.whole = whole }

  /// The part from the block of an event on, or from an earlier one where a transaction is open there.
  ///
  /// - Parameters:
  ///   - end: The block to end before; nil for the last.
  ///   - hasState: Whether anybody asks for the state, or for what is woken.
  func part(from seq: UInt64, before end: Int? = nil, hasState: Bool = true) throws -> LogSource {
    let count = whole.blocks.count
    var first = min(whole.index(of: seq), max(0, count - 1))
    let range = { first..<max(first, min(end ?? count, count)) }
    guard hasState else { return LogSource(range(), of: whole, base: nil) }
    while first > 0, depth(before: first) > 0 { first -= 1 }
    return LogSource(range(), of: whole, base: try base(before: first))
  }

  /// Notes what could not be read of a part.
  func note(damageOf part: LogSource) { damage = damage ?? part.damage }

  /// What the event brought about, and the transactions around it.
  func window(around seq: UInt64) throws -> StepWindow {
    let block = whole.index(of: seq)
    if let known = windows.firstIndex(where: { $0.block == block }) {
      windows.append(windows.remove(at: known))
      return windows[windows.count - 1].window
    }
    let part = try part(from: seq, before: block + 1)
    let window = try StepWindow(part)
    note(damageOf: part)
    windows.append((block, window))
    if windows.count > Self.windowsMax { windows.removeFirst() }
    return window
  }

  /// The event that began the chain of causes, and how many steps away it is.
  func root(of seq: UInt64) -> (seq: UInt64, depth: Int) {
    var (root, depth) = (seq, 0)
    // Causes come before effects, so this ends.
    while let cause = whole.event(root)?.cause, cause < root { (root, depth) = (cause, depth + 1) }
    return (root, depth)
  }

  private func base(before block: Int) throws -> StateFold? {
    guard block > 0, whole.blocks.indices.contains(block) else { return whole.base }
    let fold = try whole.reader.fold(at: whole.blocks[block].firstSeq - 1)
    if let failure = fold.failure {
      throw ToolError("event \(failure.seq) does not fit the events before it: \(failure.error)")
    }
    return fold
  }

  private func depth(before block: Int) -> Int {
    whole.reader.openTransactions(before: whole.blocks[block]) ?? depths[block]
  }

  private func countDepths() -> [Int] {
    var depths: [Int] = []
    var depth = whole.base?.openTransactions ?? 0
    var opener: BlockOpener?
    var row = EventLog.Row()
    for block in whole.blocks.indices {
      depths.append(depth)
      guard var rows = whole.rows(ofBlock: block, &opener) else { continue }
      while (try? rows.next(&row)) == true {
        if row.kind == .begin { depth += 1 }
        if row.kind == .end { depth = max(0, depth - 1) }
      }
    }
    return depths
  }
}
