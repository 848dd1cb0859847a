import EventLog

/// Where the work of a run goes: by projection and by path.
struct HotReport {
  struct ProjectionLine {
    var name: String
    var instances = 0
    var invalidations = 0
    var evaluations = 0
    /// Evaluations whose output was the same as before.
    var wasted = 0
    /// Time in evaluations, in nanoseconds.
    var time: UInt64 = 0

    mutating func add(_ duration: UInt64, _ changed: Bool?) {
      evaluations += 1
      if changed == false { wasted += 1 }
      time &+= duration
    }
  }

  struct PathLine {
    var path: String
    var sets = 0
    var sameValue = 0
    /// Invalidations that a write here led to.
    var invalidations = 0
  }

  private(set) var projections: [ProjectionLine] = []
  private(set) var paths: [PathLine] = []

  init(_ log: LogSource, progress: Progress = .hidden) throws {
    var projections: [String: ProjectionLine] = [:]
    var instances: [String: Set<String>] = [:]
    var paths: [String: PathLine] = [:]
    var groups = PathGroups()
    var run = Run(log, progress: progress)
    while let step = try run.next() {
      let body = step.event.body
      if let name = body.projectionName { instances[name.projectionGroup, default: []].insert(name) }
      if case .evaluate(let name, let duration, let changed) = body {
        let group = name.projectionGroup
        projections[group, default: ProjectionLine(name: group)].add(duration, changed)
      }
      if let path = body.writtenPath {
        let group = groups.group(of: path)
        paths[group, default: PathLine(path: group)].sets += 1
        if body.sameValue == true { paths[group]?.sameValue += 1 }
      }
      for invalidation in step.invalidations {
        let group = invalidation.projection.projectionGroup
        projections[group, default: ProjectionLine(name: group)].invalidations += 1
        let written = invalidation.causes.compactMap { log.event($0)?.body.writtenPath }
        for path in Set(written.map { groups.group(of: $0) }) { paths[path]?.invalidations += 1 }
      }
    }
    for (group, names) in instances {
      projections[group, default: ProjectionLine(name: group)].instances = names.count
    }
    self.projections = projections.values.sorted {
      ($1.evaluations, $1.time, $0.name) < ($0.evaluations, $0.time, $1.name)
    }
    self.paths = paths.values.sorted {
      ($1.invalidations, $1.sets, $0.path) < ($0.invalidations, $0.sets, $1.path)
    }
  }

  var json: JSON {
    [
      "projections": .array(
        projections.map { line in
          [
            "name": .text(line.name), "instances": .int(line.instances),
            "invalidations": .int(line.invalidations), "evaluations": .int(line.evaluations),
            "wasted": .int(line.wasted), "time_ns": .number(line.time),
          ]
        }),
      "paths": .array(
        paths.map { line in
          [
            "path": .text(line.path), "sets": .int(line.sets), "same_value": .int(line.sameValue),
            "invalidations": .int(line.invalidations),
          ]
        }),
    ]
  }
}
