import EventLog

/// The writes that woke the most work, repeated ones counted together.
struct CascadeReport {
  struct Line {
    /// What was written: `set tts.audioLevel`, `transaction "refresh"`.
    var root: String
    /// How many roots led to a tree of this shape.
    var count = 0
    var first: UInt64
    var last: UInt64
    /// Projections that the root itself woke, each time.
    var fanOut: Int
    /// Levels of projections, one below the other.
    var depth: Int
    /// Of all of them together.
    var invalidations = 0
    var evaluations = 0
    var wasted = 0
    var time: UInt64 = 0
    /// The tree of the first.
    var tree: CascadeTree
  }

  private(set) var lines: [Line] = []

  init(_ run: Run) {
    var lines: [String: Line] = [:]
    for (seq, tree) in CascadeBuilder(run).roots {
      var invalidations = 0
      var evaluations = 0
      var wasted = 0
      var time: UInt64 = 0
      tree.visit {
        invalidations += $0.invalidations
        evaluations += $0.evaluations
        wasted += $0.wasted
        time &+= $0.time
      }
      let fanOut = tree.children.values.reduce(0) { $0 + $1.invalidations }
      let shape = tree.shape
      var line =
        lines[shape]
        ?? Line(root: tree.name, first: seq, last: seq, fanOut: fanOut, depth: tree.levels, tree: tree)
      line.count += 1
      line.last = seq
      line.invalidations += invalidations
      line.evaluations += evaluations
      line.wasted += wasted
      line.time &+= time
      lines[shape] = line
    }
    self.lines = lines.values.sorted {
      ($1.evaluations, $1.invalidations, $1.time, $0.first)
        < ($0.evaluations, $0.invalidations, $0.time, $1.first)
    }
  }

  var json: JSON { ["cascades": .array(lines.map(\.json))] }
}

extension CascadeReport.Line {
  var json: JSON {
    [
      "root": .text(root), "count": .int(count), "first_seq": .number(first), "last_seq": .number(last),
      "fan_out": .int(fanOut), "depth": .int(depth), "invalidations": .int(invalidations),
      "evaluations": .int(evaluations), "wasted": .int(wasted), "time_ns": .number(time),
      "tree": .array(tree.children.values.map(\.json)),
    ]
  }
}
