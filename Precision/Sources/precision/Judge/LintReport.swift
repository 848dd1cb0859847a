/// What `replay lint --format json` prints, as far as it is judged.
struct LintReport: Decodable {
  let findings: [Finding]
}

/// Something that lint says of a log.
struct Finding: Decodable {
  let rule: String
  let message: String
  let advice: String?
  /// What it is about: a view, a callback, or several.
  let subject: String?
  let path: String?
  /// Places in the source.
  let sites: [String: String]?
  let change: [Change]?
  let baseline: Cost?
  let predicted: Cost?
  /// Whether it is only a note, for which lint does not end with status 1.
  let isNote: Bool

  struct Change: Decodable {
    let argument: String?
  }

  enum CodingKeys: String, CodingKey {
    case rule, message, advice, subject, path, sites, change, baseline, predicted
    case isNote = "is_note"
  }

  /// The runs and the time that it promises to save; nil if it promises nothing.
  var promise: Cost? {
    guard let baseline, let predicted else { return nil }
    return Cost(runs: baseline.runs - predicted.runs, time: baseline.time - predicted.time)
  }
}

/// The runs of all bodies, and the time that these took without the bodies within them.
struct Cost: Codable {
  var runs = 0
  /// In nanoseconds.
  var time = 0

  enum CodingKeys: String, CodingKey {
    case runs
    case time = "time_ns"
  }
}
