import ArgumentParser
import ReplayAnalysis

struct Hot: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ranks projections by their evaluations, and paths by what writes to them woke.",
    discussion: """
      Example: replay hot SampleLogs/chat-wide.evlog --from 'mark:nami speaks'

      Instances count under their name, Row#42 under Row; indices, keys and ids of paths count as [*]. An evaluation \
      is wasted when its output was the same as before. FAN-OUT is the average number of projections that a set which \
      changed something woke, MOST the largest; PEAK is the most in one second.

      With --projection only such projections count as woken; with --path only what such a path woke does.
      """)

  @OptionGroup var input: InputOptions
  @OptionGroup var selection: SelectionOptions

  @Option(
    help: """
      Rank projections by their evaluations, by the time that these took, or by waste: the time of those with the same \
      output as before, then their number.
      """)
  var by = HotReport.Order.evaluations

  @OptionGroup var limit: LimitOptions

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(named: input.log, limits: input.limits)
    let report = try HotReport(log, selection.selection(in: log), by: by, progress: console.progress)
    switch input.output.format {
    case .json: try console.print(json: report)
    case .text: try report.print(to: console, limit: limit)
    }
    return log.reportDamage(on: console)
  }
}

extension HotReport.Order: ExpressibleByArgument {}

extension HotReport {
  fileprivate func print(to console: Console, limit: LimitOptions) throws {
    if projections.isEmpty, paths.isEmpty { return try console.print("nothing happened there") }
    var names = Table(
      .init(title: "PROJECTION", isFlexible: true), .init(title: "INSTANCES", alignment: .right, leaves: 3),
      .init(title: "WOKEN", alignment: .right, leaves: 4), .init(title: "EVALUATIONS", alignment: .right),
      .init(title: "WASTED", alignment: .right), .init(title: "TIME", alignment: .right),
      .init(title: "WASTED TIME", alignment: .right),
      .init(title: "PER S", alignment: .right, leaves: 2),
      .init(title: "PEAK", alignment: .right, leaves: 1))
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
    var written = Table(
      .init(title: "PATH", isFlexible: true), .init(title: "SETS", alignment: .right),
      .init(title: "SAME VALUE", alignment: .right), .init(title: "WOKE", alignment: .right),
      .init(title: "FAN-OUT", alignment: .right), .init(title: "MOST", alignment: .right, leaves: 3),
      .init(title: "PER S", alignment: .right, leaves: 2),
      .init(title: "PEAK", alignment: .right, leaves: 1))
    let paths = limit.cut(paths)
    for line in paths.shown {
      written.add(
        line.path, line.sets.grouped, line.sameValue.grouped, line.invalidations.grouped,
        Units.rate(line.fanOut), line.fanOutMax.grouped, Units.rate(line.rate), line.peak.grouped)
    }
    try written.print(to: console)
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
