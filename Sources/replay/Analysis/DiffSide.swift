import EventLog

/// One of two runs that are compared, as it is gone through.
struct DiffSide {
  private var replay: StateReplay
  private var places = PathGroups()
  private var names = NameGroups()
  /// By group.
  private var writes: [Int] = []
  private var evaluations: [Int] = []

  init(_ log: LogSource) { replay = StateReplay(log) }

  var row: EventLog.Row {
    @inline(__always) _read { yield replay.row }
  }

  /// Goes on to the next row; false at the end.
  @inline(__always)
  mutating func next() -> Bool { replay.next() }

  /// Counts the row and applies it.
  @inline(__always)
  mutating func take() throws {
    if let path = replay.path {
      Self.count(places.group(of: path, replay.tables), in: &writes)
    } else if row.kind == .evaluate, let name = replay.name {
      Self.count(names.group(of: name, replay.tables), in: &evaluations)
    }
    try replay.apply()
  }

  func check() throws { try replay.check() }

  @inline(__always)
  private static func count(_ group: Int, in counts: inout [Int]) {
    while group >= counts.count { counts.append(0) }
    counts[group] += 1
  }

  /// Writes by the kind of place.
  var paths: [String: Int] { Dictionary(uniqueKeysWithValues: zip(places.names, writes)) }
  /// Evaluations by the name of the projection.
  var projections: [String: Int] { Dictionary(uniqueKeysWithValues: zip(names.names, evaluations)) }
  var state: State { mutating get { replay.state } }

  // MARK: What the row names

  fileprivate var generation: Int { replay.tables.generation }
  fileprivate var path: Int? { @inline(__always) get { replay.path } }
  fileprivate var name: Int? { @inline(__always) mutating get { replay.name } }
  fileprivate var parent: String? { replay.cursor.string(row.parent) }
  fileprivate var label: String? { replay.cursor.string(row.name) }
  fileprivate var readPaths: [Int] { replay.cursor.readPaths }
  fileprivate var causes: [UInt64] { replay.cursor.rows?.invalidationCauses ?? [] }
  fileprivate func text(path: Int) -> Path { replay.tables.paths.path(path) }
  fileprivate func text(name: Int) -> String { replay.tables.names[name] }
}

/// Which numbers of two runs stand for the same path or projection.
struct Pairing {
  /// By the number in the first run, the number in the second.
  private var paths: [Int32] = []
  private var names: [Int32] = []
  private var generations = (0, 0)

  /// Whether the same happened: without when, where in the source, and how long.
  @inline(__always)
  mutating func isSame(_ a: inout DiffSide, _ b: inout DiffSide) -> Bool {
    guard a.row.kind == b.row.kind, a.row.seq == b.row.seq, a.row.cause == b.row.cause else { return false }
    switch a.row.kind {
    case .set:
      return a.row.isSameValue == b.row.isSameValue && a.row.value == b.row.value && isSamePath(a, b)
    case .evaluate: return a.row.changed == b.row.changed && isSameName(&a, &b)
    case .invalidate: return isSameName(&a, &b) && a.causes == b.causes
    default: return isSameRest(&a, &b)
    }
  }

  private mutating func isSameRest(_ a: inout DiffSide, _ b: inout DiffSide) -> Bool {
    switch a.row.kind {
    case .set, .evaluate, .invalidate: return true
    case .splice:
      return a.row.isSameValue == b.row.isSameValue && a.row.offset == b.row.offset
        && a.row.delete == b.row.delete && a.row.value == b.row.value && isSamePath(a, b)
    case .remove: return a.row.isSameValue == b.row.isSameValue && isSamePath(a, b)
    case .projection: return a.row.tracking == b.row.tracking && a.parent == b.parent && isSameName(&a, &b)
    case .reads:
      let (x, y) = (a.readPaths, b.readPaths)
      guard x.count == y.count, isSameName(&a, &b) else { return false }
      for (x, y) in zip(x, y) where !isSame(path: x, y, a, b) { return false }
      return true
    case .dispose: return isSameName(&a, &b)
    case .begin, .mark: return a.label == b.label
    case .end: return true
    }
  }

  @inline(__always)
  private mutating func isSamePath(_ a: borrowing DiffSide, _ b: borrowing DiffSide) -> Bool {
    guard let x = a.path, let y = b.path else { return false }
    return isSame(path: x, y, a, b)
  }

  @inline(__always)
  private mutating func isSame(path x: Int, _ y: Int, _ a: borrowing DiffSide, _ b: borrowing DiffSide)
    -> Bool
  {
    if generations != (a.generation, b.generation) {
      generations = (a.generation, b.generation)
      paths.removeAll(keepingCapacity: true)
    }
    paths.reserve(x)
    if paths[x] == y { return true }
    guard a.text(path: x) == b.text(path: y) else { return false }
    paths[x] = Int32(y)
    return true
  }

  @inline(__always)
  private mutating func isSameName(_ a: inout DiffSide, _ b: inout DiffSide) -> Bool {
    guard let x = a.name, let y = b.name else { return false }
    names.reserve(x)
    if names[x] == y { return true }
    guard a.text(name: x) == b.text(name: y) else { return false }
    names[x] = Int32(y)
    return true
  }
}
