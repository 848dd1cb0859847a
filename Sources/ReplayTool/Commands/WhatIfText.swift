import ReplayAnalysis

extension WhatIf {
  func print(to console: Console) throws {
    var table = Table(
      .init(title: "PROJECTION", isFlexible: true), .init(title: "EVALUATIONS", alignment: .right),
      .init(title: "AFTER", alignment: .right), .init(title: "CHANGE", alignment: .right),
      .init(title: "TIME", alignment: .right), .init(title: "AFTER", alignment: .right))
    var before = PredictionLedger.Work()
    var after = PredictionLedger.Work()
    for line in lines {
      before.add(line.before ?? .init())
      after.add(line.after)
      add(line.name, line.before, line.after, to: &table)
    }
    if lines.count > 1 { add("all", before, after, to: &table) }
    try table.print(to: console)
    if !unknown.isEmpty {
      try console.print()
      try console.print(console.style.heading("not known, and not counted"))
      for item in unknown {
        try console.printItem(
          "\(item.name): \(Units.count(item.work.evaluations, "evaluation")),"
            + " \(Units.duration(item.work.time)): \(item.reason)")
      }
    }
    if limits.isEmpty { return }
    try console.print()
    try console.print(console.style.heading("what the prediction rests on"))
    for limit in limits { try console.printItem(limit) }
  }

  private func add(
    _ name: String, _ before: PredictionLedger.Work?, _ after: PredictionLedger.Work, to table: inout Table
  ) {
    table.add(
      name, before?.evaluations.grouped ?? "", after.evaluations.grouped,
      Self.change(before?.evaluations ?? 0, after.evaluations), before.map { Units.duration($0.time) } ?? "",
      Units.duration(after.time))
  }

  /// `-99.3 %`, `x 20` where it is more than twice as much, or `new`.
  private static func change(_ before: Int, _ after: Int) -> String {
    if before == after { return "" }
    if before == 0 { return "new" }
    if after > 2 * before { return "x \(Units.tenths(UInt64(after), of: UInt64(before)))" }
    let permille = (abs(after - before) * 1000 + before / 2) / before
    return "\(after < before ? "-" : "+")\(permille / 10).\(permille % 10) %"
  }
}
