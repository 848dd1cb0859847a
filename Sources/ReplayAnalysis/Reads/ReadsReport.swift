import EventLog
import Invalidation

/// What a projection reads, by kind of path, and what that was good for: how often writes there made it run, and how
/// many of these runs had the same output as before.
package struct ReadsReport: Encodable, Sendable {
  package struct Line: Encodable, Sendable, RunCounts {
    /// The kind of paths: `store.rows[*].title`.
    package var path: String
    /// How many such paths the projection reads, in all its instances. 0 for what it only read earlier.
    package var count = 0
    /// How many runs followed an invalidation by such a path. A run with several causes counts for each.
    package var evaluations = 0
    /// How many of these had the same output as before.
    package var wasted = 0
    /// The time in these runs, in nanoseconds.
    package var time: UInt64 = 0
    package var wastedTime: UInt64 = 0

    enum CodingKeys: String, CodingKey {
      case path, count, evaluations, wasted
      case time = "time_ns"
      case wastedTime = "wasted_time_ns"
    }
  }

  package let projection: String
  /// The event after which the reads are listed.
  package let seq: UInt64
  /// How many instances of it live there. If none does, the reads are those of the one that ended last.
  package let instances: Int
  /// Those with the most wasted time first, then those with the most runs.
  package let lines: [Line]

  /// Cost: a pass over the log up to the moment.
  ///
  /// - Throws: `AnalysisError` if the log has no such projection or moment.
  package init(
    of name: String, at moment: Moment? = nil, in log: LogSource, progress: AnalysisProgress = .hidden
  ) throws {
    let pattern = ProjectionPattern(name)
    let limit = try moment?.seq(in: log) ?? log.lastSeq
    var counter = ReadsCounter(of: pattern, upTo: limit)
    let run = try log.play(to: &counter, progress: progress)
    if counter.isUnmet { try pattern.check(against: LogNames(log).projections, of: log) }
    projection = name
    seq = min(limit, run.row.seq)
    instances = counter.instances
    lines = counter.lines
  }
}

/// Counts what the runs of some projections followed from, and records what they read at the end.
private struct ReadsCounter: RowObserver {
  let needs: RunNeeds = [.hits, .lookback, .reads, .lastingProjections]
  let end: UInt64
  private let pattern: ProjectionPattern
  private var isMeant = ProjectionMap<Bool?>(default: nil)
  /// The kinds of paths that have put a projection out of date since its last run.
  private var pending = ProjectionMap<Set<String>>(default: [])
  private var invalidating: [String: ReadsReport.Line] = [:]
  /// The reads at the end, by kind.
  private var read: [String: Int] = [:]
  /// The reads of the instance that ended last.
  private var readLast: [String: Int] = [:]
  private(set) var instances = 0
  private(set) var isUnmet = true

  init(of pattern: ProjectionPattern, upTo limit: UInt64) {
    self.pattern = pattern
    end = limit + 1
  }

  mutating func observe(_ run: inout LogRun) throws {
    for hit in run.hits where isMeant(hit.projection, run) {
      for cause in hit.causes.all {
        if let path = run.writtenPath(of: cause) {
          pending[hit.projection].insert(run.text(run.group(of: path)))
        }
      }
    }
    guard let projection = run.projection, isMeant(projection, run) else { return }
    isUnmet = false
    if run.row.kind == .evaluate { count(projection, run) }
    if run.row.kind.lifeChange == .ends {
      readLast = kinds(of: projection, run)
      pending[projection] = []
    }
  }

  mutating func finish(_ run: inout LogRun) throws {
    // A run ends before the row that it does not need, which is not to be carried out.
    for projection in run.registry.living where isMeant(projection, run) {
      isUnmet = false
      instances += 1
      read.merge(kinds(of: projection, run), uniquingKeysWith: +)
    }
    if instances == 0 { read = readLast }
  }

  private mutating func isMeant(_ projection: ProjectionID, _ run: borrowing LogRun) -> Bool {
    if let known = isMeant[projection] { return known }
    let found = pattern.matches(run.tables.name(projection))
    isMeant[projection] = found
    return found
  }

  private mutating func count(_ projection: ProjectionID, _ run: borrowing LogRun) {
    for kind in pending[projection] {
      var line = invalidating[kind] ?? ReadsReport.Line(path: kind)
      line.countRun(run.row.duration, run.row.changed)
      invalidating[kind] = line
    }
    pending[projection] = []
  }

  private func kinds(of projection: ProjectionID, _ run: borrowing LogRun) -> [String: Int] {
    var state = run.state
    var kinds: [String: Int] = [:]
    for path in run.registry.reads(of: projection)?.paths ?? [] {
      kinds[state.currentName(of: path).group, default: 0] += 1
    }
    return kinds
  }

  /// A line for each kind that is read. What was written counts for the read of it, of a part of it, or of what holds it.
  var lines: [ReadsReport.Line] {
    var lines = read.map { ReadsReport.Line(path: $0.key, count: $0.value) }
    for written in invalidating.values {
      let concerned = lines.indices.filter {
        lines[$0].path == written.path || lines[$0].path.isPart(of: written.path)
          || written.path.isPart(of: lines[$0].path)
      }
      let nearest =
        concerned.first { lines[$0].path == written.path }
        ?? concerned.max { lines[$0].path.count < lines[$1].path.count }
      guard let nearest else {
        lines.append(written)
        continue
      }
      lines[nearest].add(written)
    }
    return lines.sorted {
      ($1.wastedTime, $1.evaluations, $1.count, $0.path) < ($0.wastedTime, $0.evaluations, $0.count, $1.path)
    }
  }
}
