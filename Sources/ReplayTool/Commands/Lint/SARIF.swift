import ReplayAnalysis

/// A lint report as SARIF 2.1.0, which code hosts and editors show beside the source.
///
/// A finding is placed at the line that made its first write if the log has that, else at the log.
struct SARIF: Encodable, Sendable {
  struct Run: Encodable, Sendable {
    var tool: Tool
    var results: [Result]
    var columnKind = "utf16CodeUnits"
  }

  struct Tool: Encodable, Sendable {
    var driver: Driver
  }

  struct Driver: Encodable, Sendable {
    var name = "replay"
    var rules: [Rule]
  }

  struct Text: Encodable, Sendable {
    var text: String
  }

  struct Rule: Encodable, Sendable {
    var id: String
    var shortDescription: Text
    var fullDescription: Text
    var help: Text
    var defaultConfiguration = Configuration()
  }

  struct Configuration: Encodable, Sendable {
    var level = "warning"
  }

  struct Result: Encodable, Sendable {
    var ruleId: String
    var ruleIndex: Int
    var level = "warning"
    var message: Text
    var locations: [Location]
    var properties: Properties
  }

  struct Location: Encodable, Sendable {
    var physicalLocation: Physical
    var logicalLocations: [Logical]
  }

  struct Physical: Encodable, Sendable {
    var artifactLocation: Artifact
    var region: Region?
  }

  struct Artifact: Encodable, Sendable {
    var uri: String
  }

  struct Region: Encodable, Sendable {
    var startLine: Int
  }

  struct Logical: Encodable, Sendable {
    var fullyQualifiedName: String
    var kind: String
  }

  struct Properties: Encodable, Sendable {
    var evidence: LintReport.Facts
    var events: [UInt64]
    var change: [Change]
    var baseline: LintReport.Price?
    var predicted: LintReport.Price?
    var alternatives: [LintReport.Alternative]
    var whatIf: String

    enum CodingKeys: String, CodingKey {
      case evidence, events, change, baseline, predicted, alternatives
      case whatIf = "what_if"
    }
  }

  var schema = "https://json.schemastore.org/sarif-2.1.0.json"
  var version = "2.1.0"
  var runs: [Run]

  enum CodingKeys: String, CodingKey {
    case schema = "$schema"
    case version, runs
  }

  init(_ report: LintReport, of log: String) {
    let rules = report.rules.map { rule in
      Rule(
        id: rule.rawValue, shortDescription: Text(text: rule.summary),
        fullDescription: Text(text: "Found if \(rule.condition)."), help: Text(text: rule.advice))
    }
    let results = report.findings.map { finding in
      Result(
        ruleId: finding.rule.rawValue, ruleIndex: report.rules.firstIndex(of: finding.rule) ?? -1,
        level: finding.isNote ? "note" : "warning",
        message: Text(text: "\(finding.message) \(finding.advice)"),
        locations: Location.all(of: finding, log),
        properties: Properties(
          evidence: finding.evidence, events: finding.events, change: finding.changes,
          baseline: finding.baseline,
          predicted: finding.predicted, alternatives: finding.alternatives, whatIf: finding.whatIf))
    }
    runs = [Run(tool: Tool(driver: Driver(rules: rules)), results: results)]
  }
}

extension SARIF.Location {
  /// Where the first write was made, or else the projection; the log if it has no lines of the source.
  fileprivate static func all(of finding: LintReport.Finding, _ log: String) -> [SARIF.Location] {
    let sites = finding.sites.all.compactMap { SourceLine($0) }
    let names = [
      finding.projection.map { SARIF.Logical(fullyQualifiedName: $0, kind: "function") },
      finding.path.map { SARIF.Logical(fullyQualifiedName: $0, kind: "variable") },
    ].compactMap(\.self)
    guard let first = sites.first else {
      let log = SARIF.Artifact(uri: log.asURI)
      return [
        SARIF.Location(physicalLocation: .init(artifactLocation: log, region: nil), logicalLocations: names)
      ]
    }
    let file = SARIF.Artifact(uri: first.file.asURI)
    return [
      SARIF.Location(
        physicalLocation: .init(artifactLocation: file, region: .init(startLine: first.line)),
        logicalLocations: names)
    ]
  }
}

/// `Chat.swift:12`.
struct SourceLine {
  var file: String
  var line: Int

  init?(_ site: String) {
    guard let colon = site.lastIndex(of: ":"), let line = Int(site[site.index(after: colon)...]), line > 0
    else {
      return nil
    }
    (file, self.line) = (String(site[..<colon]), line)
  }
}

extension String {
  /// The text as a URI reference to a file.
  fileprivate var asURI: String {
    var uri = ""
    for byte in utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x2F, 0x5F, 0x7E:
        uri.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        uri += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return uri
  }
}
