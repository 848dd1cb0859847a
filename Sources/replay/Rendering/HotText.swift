extension HotReport {
  func print(to console: Console, limit: LimitOptions) throws {
    var names = Table(
      .init(title: "PROJECTION", isFlexible: true), .init(title: "INSTANCES", alignment: .right),
      .init(title: "WOKEN", alignment: .right), .init(title: "EVALUATIONS", alignment: .right),
      .init(title: "WASTED", alignment: .right), .init(title: "TIME", alignment: .right))
    let projections = limit.cut(projections)
    for line in projections.shown {
      names.add(
        line.name, line.instances.grouped, line.invalidations.grouped, line.evaluations.grouped,
        line.wasted.grouped, Units.duration(line.time))
    }
    try names.print(to: console)
    try console.printHidden(projections.hidden, "projection")
    try console.print()
    var places = Table(
      .init(title: "PATH", isFlexible: true), .init(title: "SETS", alignment: .right),
      .init(title: "SAME VALUE", alignment: .right), .init(title: "WOKE", alignment: .right))
    let paths = limit.cut(paths)
    for line in paths.shown {
      places.add(line.path, line.sets.grouped, line.sameValue.grouped, line.invalidations.grouped)
    }
    try places.print(to: console)
    try console.printHidden(paths.hidden, "path")
  }
}

extension Console {
  /// Says how many lines a limit left out.
  func printHidden(_ count: Int, _ noun: String) throws {
    if count > 0 { try print(style.dim("and \(Units.count(count, "more " + noun)); see --limit")) }
  }
}
