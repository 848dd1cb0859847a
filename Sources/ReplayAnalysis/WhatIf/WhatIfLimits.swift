import EventLog
import Invalidation

/// A read of a path of which only a part is written.
struct WholeRead {
  var path: Path
  /// Whether the projection has a parent that could pass the value in.
  var hasParent: Bool
}

/// The assumptions that a prediction made, and what it could not know.
struct Doubts {
  /// Runs whose input was assumed to be equal because their output was.
  var equalByOutput = 0
  /// Projections that were created by a run that would not take place.
  var createdBySkipped = 0
  /// Runs that would not take place because what a callback set afterwards would be seen at once.
  var replaced = 0
}

/// The groups that read as a whole what is written in parts.
struct WholeReads {
  /// For each group, a path of this kind.
  private(set) var found: [GroupID<ProjectionID>: WholeRead] = [:]

  /// Some of the paths that each group reads, and the number of hits that were compared with them.
  private var reads: [GroupID<ProjectionID>: Set<Path>] = [:]
  private var looks: [GroupID<ProjectionID>: Int] = [:]
  private static let readsMax = 8
  private static let looksMax = 1000

  /// Looks for groups that read as a whole what the current row writes a part of.
  mutating func apply(_ run: inout LogRun, _ hits: [LogTimeline.Hit], _ lives: borrowing OtherLives) {
    if run.row.kind == .reads, let projection = run.projection {
      let group = lives.group(of: projection) ?? run.group(of: projection)
      if reads[group]?.count ?? 0 >= Self.readsMax { return }
      for path in run.readPaths.prefix(Self.readsMax) {
        // The name may be new to the tables, so it is looked up before they are read.
        let name = run.name(ofRead: path)
        reads[group, default: []].insert(run.tables.path(name))
      }
    }
    guard !hits.isEmpty, let path = run.path else { return }
    var written: Path?
    for hit in hits {
      let group = lives.group(of: hit.projection) ?? run.group(of: hit.projection)
      guard found[group] == nil, let read = reads[group], looks[group, default: 0] < Self.looksMax else {
        continue
      }
      looks[group, default: 0] += 1
      let part = written ?? run.tables.path(path)
      written = part
      if let whole = read.first(where: { $0.contains(part) }) {
        found[group] = WholeRead(path: whole, hasParent: lives[hit.projection].parent != nil)
      }
    }
  }
}

extension Path {
  /// Whether this path is a proper prefix of the other.
  fileprivate func contains(_ other: Path) -> Bool {
    root == other.root && components.count < other.components.count
      && zip(components, other.components).allSatisfy { $0 == $1 }
  }
}

extension Prediction {
  /// The assumptions and limits of the prediction, as sentences.
  func limits(_ rules: WhatIfRules, _ other: borrowing OtherRun, _ run: borrowing LogRun) -> [String] {
    var limits: [String] = []
    let wholeReads = other.wholeReads.found.map { (name: run.text($0.key), read: $0.value) }
    for (name, read) in wholeReads.sorted(by: { $0.name < $1.name }) {
      limits.append(
        "\(name) reads \(read.path) as a whole, so every write within wakes it: which elements it uses, the log"
          + " does not know. A RecordedArray or RecordedDictionary would tell"
          + (read.hasParent ? "; handing the value in is priced by --input '\(name):\(read.path)'." : "."))
    }
    if !other.timeline.newChildren.isEmpty {
      limits.append(
        "The child that reads what was isolated is taken to run whenever its parent does. What it takes is not"
          + " known: a run of its own counts as long as one of its parent, or of a child beside it, whichever is shorter."
      )
    }
    if doubts.equalByOutput > 0 {
      limits.append(
        "\(Units.count(doubts.equalByOutput, "run")) drew the same as before and count as skipped for an equal"
          + " input. An input that differs without being drawn would run them all the same.")
    }
    limits += throttling(rules, other.timeline.leftOut)
    if !rules.derivations.isEmpty {
      limits.append(
        "A derived value is taken to cost a microsecond each time, or half of the run if that is less, and a run that drew"
          + " the same to show nothing else that differs.")
    }
    if doubts.replaced > 0 {
      limits.append(
        "\(Units.count(doubts.replaced, "run")) showed what a callback had not set yet, and would not take place. The callback"
          + " counts as what computes its values.")
    }
    if rules.transactionGap != nil {
      limits.append(
        "\(Units.count(other.timeline.joined.writes, "write")) would be \(Units.count(other.timeline.joined.units, "transaction")). What"
          + " callbacks wrote in between is taken to be written as it was.")
    }
    for group in other.timeline.orphans.sorted() {
      limits.append("\(group) has no parent that could hand it anything, so it reads as before.")
    }
    if doubts.createdBySkipped > 0 {
      limits.append(
        "\(Units.count(doubts.createdBySkipped, "projection")) first ran within a run that would not take place;"
          + " they count as made by a later one.")
    }
    if ledger.extraCount > 0 {
      limits.append("A run that the log does not have counts as long as the mean of its group.")
    }
    if !ledger.hasRuns {
      limits.append("Nothing ran in this part of the log, so there is nothing to predict.")
    }
    return limits
  }

  private func throttling(_ rules: WhatIfRules, _ leftOut: LeftOutSets) -> [String] {
    guard rules.dropsSets else { return [] }
    var limits: [String] = []
    let behind = leftOut.behindCount
    let count = leftOut.count - leftOut.causedCount
    if rules.paces.contains(where: { !$0.waits }) {
      var text =
        "\(Units.count(count, "set")) would be left out: a place is set once in each interval, and sets between are"
        + " lost."
      if behind > 0 {
        text +=
          " A throttle that also delivers the last value would add at least a set for each of"
          + " \(Units.count(behind, "place"))."
      }
      limits.append(text)
    } else if !rules.paces.isEmpty {
      limits.append(
        "\(Units.count(count, "set")) would be left out: a place is set once nothing sets it any more.")
    }
    if !rules.quiet.isEmpty, rules.paces.isEmpty {
      limits.append(
        "\(Units.count(leftOut.count - leftOut.causedCount, "set")) to an equal value would be left out; where nobody"
          + " follows a whole object or hears every set, they wake nobody as it is.")
    }
    if leftOut.causedCount > 0 {
      limits.append(
        "\(Units.count(leftOut.causedCount, "set")) that callbacks or derived values made because of these would be"
          + " left out with them.")
    }
    if leftOut.keptCount > 0 {
      limits.append(
        "\(Units.count(leftOut.keptCount, "write")) of arrays and objects could not be left out, because later"
          + " events refer to them.")
    }
    return limits
  }
}
