import EventLog

/// Determines which reads of a projection a write affects.
struct ReadMatcher {
  let tracking: Tracking
  let reads: BoundReads

  /// The reads that a write to this path affects, by the slots to which both lead in the state before or
  /// after it.
  func matches(_ written: Path, before: State, after: State) -> [Path] {
    let (now, then) = (after.resolve(written).place, before.resolve(written).place)
    let concerned = reads.filter { concerns($0, now, in: after) || concerns($0, then, in: before) }
    if tracking != .element { return concerned }
    let different = concerned.filter { before.value(at: $0) != after.value(at: $0) }
    return different.isEmpty ? concerned : different
  }

  private func concerns(_ read: Path, _ write: Place, in state: State) -> Bool {
    // A bound path is a slot of its object, even if the object is also reachable by other paths.
    if case .object(let id) = read.root, write.owner != .object(id) { return false }
    switch state.resolve(read) {
    case .place(let place, let crossed), .missing(let place, let crossed, _):
      return overlaps(place, write) || crossed.contains { overlaps($0, write) }
    }
  }

  private func overlaps(_ a: Place, _ b: Place) -> Bool {
    guard a.owner == b.owner else { return false }
    if tracking == .object { return true }
    let depth = tracking == .property ? 1 : Int.max
    return zip(a.steps, b.steps).prefix(depth).allSatisfy { isSame($0, $1) }
  }

  private func isSame(_ a: Place.Step, _ b: Place.Step) -> Bool {
    switch (a, b) {
    case (.name(let a), .name(let b)): a.hasSameBytes(as: b)
    case (.element(let a, _), .element(let b, _)): a == b
    // An aspect of a collection may change with any of its elements.
    case (.aspect, _), (_, .aspect): true
    default: false
    }
  }
}

extension ProjectionRegistry {
  /// The matcher for a projection; nil if it does not live and no reads were recorded for it.
  func matcher(of projection: ProjectionID) -> ReadMatcher? {
    let life = self[projection]
    let reads = reads(of: projection)
    if !life.isAlive, reads == nil { return nil }
    return ReadMatcher(tracking: life.isAlive ? life.tracking : .element, reads: reads ?? BoundReads())
  }
}

extension Resolution {
  fileprivate var place: Place {
    switch self {
    case .place(let place, _), .missing(let place, _, _): place
    }
  }
}
