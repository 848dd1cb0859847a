import EventLog

/// Two writes that both runs have, in one order in the first run and in the other in the second, as the answers of two
/// requests.
package struct ChangedPlaces: Encodable, Sendable {
  /// What was written first in the first run, and second in the second run, and its events there.
  package var former: Write
  /// What was written after it in the first run.
  package var latter: Write

  package struct Write: Encodable, Sendable {
    package var path: String
    package var a: UInt64
    package var b: UInt64
  }
}

/// Finds the first writes that changed places, as the events of a comparison arrive. It keeps only seqs.
struct ChangedPlacesSearch {
  /// Events that both runs have, in another order.
  private var moved: [(a: UInt64, b: UInt64)] = []
  private static let movedMax = 32
  /// How far apart two writes that changed places may be, in events.
  private static let reach: UInt64 = 256

  mutating func append(_ aligned: DiffAligner.AlignedEvent) {
    if case .both(let a, let b, true) = aligned, moved.count < Self.movedMax { moved.append((a, b)) }
  }

  /// The first such writes; nil if there are none, or they are far apart. Cost: reading a few hundred events of either run.
  func found(_ logA: LogSource, _ logB: LogSource) -> ChangedPlaces? {
    for (a, b) in moved {
      guard let late = write(a, in: logA) else { continue }
      // In the second run it came earlier, before something that it follows in the first run.
      let before = (max(logA.firstSeq, a - Self.reach)..<a).lazy.reversed()
        .compactMap { seq in write(seq, in: logA).map { (path: $0, seq: seq) } }
      guard let early = before.first(where: { $0.path.group != late.group }) else { continue }
      let after = (b + 1)..<min(logB.lastSeq + 1, b + Self.reach)
      guard let other = after.first(where: { write($0, in: logB) == early.path }) else { continue }
      return ChangedPlaces(
        former: .init(path: early.path.description, a: early.seq, b: other),
        latter: .init(path: late.description, a: a, b: b))
    }
    return nil
  }

  /// The path that an event of the app wrote; nil for other events.
  private func write(_ seq: UInt64, in log: LogSource) -> Path? {
    guard let event = log.event(seq), log.isOwn(event) else { return nil }
    return event.body.writtenPath
  }
}
