import EventLog
import Invalidation

/// What own time of bodies goes into that they did not run for: comparing values, and what follows from reads that did not
/// change.
struct BodyTimes {
  /// The runs of a projection's instances in which comparing was measured.
  struct Comparing {
    var runs = 0
    /// The time of comparing in them, and their own time with it.
    var time: UInt64 = 0
    var ownTime: UInt64 = 0
    var evidence = Evidence()
  }

  /// The long runs of a projection's instances for writes to one path alone: whatever else they read was as in the run before.
  struct Alone {
    /// All runs for that path alone, also short ones.
    var runs = 0
    /// The own times of the long ones, without comparing, and their sum.
    var long = DurationHistogram()
    var time: UInt64 = 0
    /// The most reads that an instance had then, by the group of the path, and the most children.
    var reads: [GroupID<PathID>: Int] = [:]
    /// How many elements the arrays and dictionaries had at the last of them that an instance reads as a whole.
    var elements: [GroupID<PathID>: Int] = [:]
    var children = 0
    var evidence = Evidence()
  }

  struct Key: Hashable {
    var projection: GroupID<ProjectionID>
    var path: GroupID<PathID>
  }

  /// What is known of one instance.
  private struct Instance {
    /// The path that was written since its last run; `.max` if none was, `.max - 1` if several were.
    var written: UInt32 = .max
    var reads: [(group: GroupID<PathID>, count: Int)] = []

    mutating func count(_ group: GroupID<PathID>, _ difference: Int) {
      if let known = reads.firstIndex(where: { $0.group == group }) {
        reads[known].count += difference
      } else if difference > 0, reads.count < BodyTimes.groupsMax {
        reads.append((group, difference))
      }
    }
  }

  private(set) var comparing: [GroupID<ProjectionID>: Comparing] = [:]
  private(set) var alone: [Key: Alone] = [:]
  /// The children whose inputs were compared by their parts, and the types of these.
  private(set) var comparedTypes: [(child: String, type: String)] = []
  private var instances = ProjectionMap<Instance>(default: Instance())
  /// The paths of groups that lead to one place.
  private var places: [GroupID<PathID>: Path?] = [:]

  /// From which own time on a run is long, in nanoseconds. A rule asks for more.
  static let longLeast: UInt64 = 250_000
  private static let groupsMax = 16
  private static let causesMax = 8
  private static let typesMax = 64
  private static let several = UInt32.max - 1

  /// Takes in what the current row put out of date, or that it ended a projection.
  @inline(__always)
  mutating func observe(_ run: inout LogRun) {
    if !run.hits.isEmpty { addHits(&run) }
    if run.row.kind == .mark { addComparedType(run) }
    if run.row.kind.lifeChange == .ends, let projection = run.projection {
      instances[projection] = Instance()
    }
  }

  private mutating func addHits(_ run: inout LogRun) {
    let seq = run.row.seq
    let own = run.path.map { run.group(of: $0).index }
    for hit in run.hits where run.registry[hit.projection].hasRun {
      let written = hit.causes.only == seq ? own : nil
      let group = written ?? self.written(by: hit.causes, &run)
      let before = instances[hit.projection].written
      instances[hit.projection].written = before == .max || before == group ? group : Self.several
    }
  }

  /// The group of the path that these events wrote, if it is one.
  private func written(by causes: Causes, _ run: inout LogRun) -> UInt32 {
    guard causes.count <= Self.causesMax else { return Self.several }
    var found: UInt32?
    for cause in causes.all {
      guard let path = run.writtenPath(of: cause) else { return Self.several }
      let group = run.group(of: path).index
      if let found, found != group { return Self.several }
      found = group
    }
    return found ?? Self.several
  }

  private mutating func addComparedType(_ run: borrowing LogRun) {
    guard comparedTypes.count < Self.typesMax, let label = run.label,
      case .comparedByParts(let child, let type) = MarkLabel(label)
    else { return }
    comparedTypes.append((child, type))
  }

  // MARK: Reads

  /// All reads of a projection are listed anew.
  mutating func forgetReads(of projection: ProjectionID) { instances[projection].reads = [] }

  /// Counts a path that a projection begins or ceases to read.
  mutating func countRead(_ group: GroupID<PathID>, by projection: ProjectionID, _ difference: Int) {
    instances[projection].count(group, difference)
  }

  // MARK: Runs

  /// Takes in a run, which is the current row.
  ///
  /// - Parameter isCounted: Whether it is one of the events that are asked about.
  mutating func addRun(_ entry: FlushRuns.Entry, _ run: borrowing LogRun, isCounted: Bool) {
    let written = instances[entry.projection].written
    if written != .max { instances[entry.projection].written = .max }
    guard isCounted else { return }
    let compared = min(run.row.comparing, entry.duration)
    if compared > 0 { comparing[entry.group, default: Comparing()].add(compared, entry) }
    guard written < Self.several, entry.wasInvalidated, !entry.isFirst, entry.inputChanged != true else {
      return
    }
    let key = Key(projection: entry.group, path: GroupID(Int(written)))
    let own = entry.duration - compared
    if own < Self.longLeast {
      // Short runs are counted beside long ones only, so that a session without those costs nothing.
      alone[key]?.runs += 1
    } else {
      let reads = instances[entry.projection].reads
      alone[key, default: Alone()].add(
        own, entry, reading: reads, children: run.registry[entry.projection].childCount)
      for read in reads where read.count == 1 {
        let elements = place(read.group, run).flatMap { run.elementCount(at: $0) }
        alone[key]?.elements[read.group] = elements
      }
    }
  }

  private mutating func place(_ group: GroupID<PathID>, _ run: borrowing LogRun) -> Path? {
    if let known = places[group] { return known }
    let text = run.text(group)
    let place = text.contains("*") ? nil : try? Path(parsing: text)
    places[group] = .some(place)
    return place
  }
}

/// Projections that ran for one path, and whose own time follows from other reads.
struct UnchangedReads {
  var projection: GroupID<ProjectionID>
  /// What they ran for.
  var path: GroupID<PathID>
  /// What did not change, and how many elements of it an instance read.
  var read: GroupID<PathID>
  var elements: Int
  var alone: BodyTimes.Alone
  /// The part of their own time that follows from these elements, if each costs as much as another read or a child.
  var time: UInt64
}

extension BodyTimes.Comparing {
  fileprivate mutating func add(_ comparing: UInt64, _ entry: FlushRuns.Entry) {
    runs += 1
    time += comparing
    ownTime += entry.duration
    evidence.append(entry.seq)
  }
}

extension BodyTimes.Alone {
  fileprivate mutating func add(
    _ own: UInt64, _ entry: FlushRuns.Entry, reading list: [(group: GroupID<PathID>, count: Int)],
    children now: Int
  ) {
    runs += 1
    long.add(own)
    time += own
    evidence.append(entry.seq)
    children = max(children, now)
    for read in list { reads[read.group] = max(reads[read.group] ?? 0, read.count) }
  }
}
