import EventLog
import Invalidation

/// A read of more than what is written there.
struct WholeRead {
  var path: Path
  /// Whether somebody could hand the value in.
  var hasParent: Bool
}

/// What a prediction had to assume, or could not know.
struct Doubts {
  /// Runs that were taken to have had an equal input because their output was the same.
  var equalByOutput = 0
  /// Projections that were created by a run that would not take place.
  var createdBySkipped = 0
  /// By group: a place that it reads as a whole and that is written in parts.
  private(set) var wholeReads: [Int32: WholeRead] = [:]

  /// What groups read, as far as it was looked at.
  private var reads: [Int32: Set<Path>] = [:]
  private var looks: [Int32: Int] = [:]
  private static let readsMax = 8
  private static let looksMax = 1000

  /// Looks at who reads as a whole what the last row writes a part of.
  mutating func note(
    _ run: inout Run, _ hits: [NumberedTimeline.Hit], _ lives: borrowing LivingProjections
  ) {
    if run.row.kind == .reads, let name = run.name {
      let group = lives[name].group
      if reads[group]?.count ?? 0 >= Self.readsMax { return }
      for path in run.readPaths.prefix(Self.readsMax) {
        reads[group, default: []].insert(run.tables.paths.path(path))
      }
    }
    guard !hits.isEmpty, let path = run.path else { return }
    var written: Path?
    for hit in hits {
      let group = lives[hit.name].group
      guard wholeReads[group] == nil, let read = reads[group], looks[group, default: 0] < Self.looksMax else {
        continue
      }
      looks[group, default: 0] += 1
      let place = written ?? run.tables.paths.path(path)
      written = place
      if let path = read.first(where: { $0.contains(place) }) {
        wholeReads[group] = WholeRead(path: path, hasParent: lives[hit.name].parent >= 0)
      }
    }
  }
}

extension Path {
  /// Whether another path leads to a part of what this one leads to.
  func contains(_ other: Path) -> Bool {
    root == other.root && components.count < other.components.count
      && zip(components, other.components).allSatisfy { $0 == $1 }
  }
}
