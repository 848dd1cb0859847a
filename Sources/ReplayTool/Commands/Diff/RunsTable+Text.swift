import ReplayAnalysis

extension RunsTable {
  /// Prints the runs of each projection, and how many of them were wasted, with a column for each log.
  func print(to console: Console, limit: LimitOptions) throws {
    let titles = runs.map { $0.commit ?? $0.log.lastComponent }
    let table = Table(
      [Table.Column.text("PROJECTION")] + titles.map { Table.Column.number($0.shown(most: 24)) })
    func cell(_ work: Work) -> String {
      work.wasted > 0 ? "\(work.evaluations.grouped) (\(work.wasted.grouped))" : work.evaluations.grouped
    }
    try table.print(projections, "projection", limit, besides: hidden, to: console) { line in
      [line.name] + line.work.map(cell)
    }
    try console.print()
    let totals = runs.map { "\(cell($0.total)) in \(Units.duration($0.total.time))" }.joined(separator: ", ")
    try console.print(
      wrapping: "runs, and in brackets those that drew the same; all together: \(totals)", "  ",
      in: console.style.dim)
  }
}
