import ReplayAnalysis

extension HotReport {
  func print(to console: Console, limit: LimitOptions) throws {
    if projections.isEmpty, paths.isEmpty { return try console.print("nothing happened there") }
    var names = Table(
      .init(title: "PROJECTION", isFlexible: true), .init(title: "INSTANCES", alignment: .right),
      .init(title: "WOKEN", alignment: .right), .init(title: "EVALUATIONS", alignment: .right),
      .init(title: "WASTED", alignment: .right), .init(title: "TIME", alignment: .right),
      .init(title: "WASTED TIME", alignment: .right, isOptional: true),
      .init(title: "PER S", alignment: .right, isOptional: true),
      .init(title: "PEAK", alignment: .right, isOptional: true))
    let projections = limit.cut(projections)
    for line in projections.shown {
      names.add(
        line.name, line.instances.grouped, line.invalidations.grouped, line.evaluations.grouped,
        line.wasted.grouped, Units.duration(line.time), Units.duration(line.wastedTime),
        Units.rate(line.rate), line.peak.grouped)
    }
    try names.print(to: console)
    try console.printHidden(projections.hidden, "projection")
    try console.print()
    var places = Table(
      .init(title: "PATH", isFlexible: true), .init(title: "SETS", alignment: .right),
      .init(title: "SAME VALUE", alignment: .right), .init(title: "WOKE", alignment: .right),
      .init(title: "FAN-OUT", alignment: .right), .init(title: "MOST", alignment: .right, isOptional: true),
      .init(title: "PER S", alignment: .right, isOptional: true),
      .init(title: "PEAK", alignment: .right, isOptional: true))
    let paths = limit.cut(paths)
    for line in paths.shown {
      places.add(
        line.path, line.sets.grouped, line.sameValue.grouped, line.invalidations.grouped,
        Units.rate(line.fanOut), line.fanOutMax.grouped, Units.rate(line.rate), line.peak.grouped)
    }
    try places.print(to: console)
    try console.printHidden(paths.hidden, "path")
    try console.print()
    let kept = self.paths.reduce(0) { $0 + $1.sameValue }
    let wasted = self.projections.reduce(UInt64(0)) { $0.addingClamped($1.wastedTime) }
    let time = self.projections.reduce(UInt64(0)) { $0.addingClamped($1.time) }
    try console.print(
      console.style.dim(
        "\(Units.duration(wasted)) of \(Units.duration(time)) wasted in a run of \(Units.duration(duration))")
    )
    if kept > 0 { try console.print(console.style.dim("\(Units.count(kept, "same-value set")) suppressed")) }
  }
}

extension Console {
  /// Says how many lines a limit left out.
  func printHidden(_ count: Int, _ noun: String) throws {
    if count > 0 { try print(style.dim("and \(Units.count(count, "more " + noun)); see --limit")) }
  }
}
