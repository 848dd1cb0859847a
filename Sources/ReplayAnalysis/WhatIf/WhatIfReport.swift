/// A prediction, for programs.
package struct WhatIfReport: Encodable, Sendable {
  struct Work: Encodable, Sendable {
    var evaluations: Int
    var time: UInt64

    enum CodingKeys: String, CodingKey {
      case evaluations
      case time = "time_ns"
    }
  }

  /// Runs of which the log does not say whether they would take place.
  struct Unknown: Encodable, Sendable {
    var projection: String
    var evaluations: Int
    var time: UInt64
    var reason: String

    enum CodingKeys: String, CodingKey {
      case projection, evaluations
      case time = "time_ns"
      case reason
    }
  }

  var before: OrderedFields<Work>
  var after: OrderedFields<Work>
  var rules: [String]
  var unknown: [Unknown]
  var limits: [String]

  package init(_ whatIf: WhatIf) {
    before = OrderedFields(whatIf.lines.compactMap { line in line.before.map { (line.name, Work($0)) } })
    after = OrderedFields(whatIf.lines.map { ($0.name, Work($0.after)) })
    rules = whatIf.rules
    unknown = whatIf.unknown.map {
      Unknown(
        projection: $0.name, evaluations: $0.work.evaluations, time: $0.work.time, reason: $0.reason)
    }
    limits = whatIf.limits
  }
}

extension WhatIfReport.Work {
  fileprivate init(_ work: PredictionLedger.Work) {
    self.init(evaluations: work.evaluations, time: work.time)
  }
}
