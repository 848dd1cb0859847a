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
    var whatIf: String

    enum CodingKeys: String, CodingKey {
      case evidence
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
        message: Text(text: finding.message), locations: [Location(finding, log)],
        properties: Properties(evidence: finding.evidence, whatIf: finding.whatIf))
    }
    runs = [Run(tool: Tool(driver: Driver(rules: rules)), results: results)]
  }
}

extension SARIF.Location {
  fileprivate init(_ finding: LintReport.Finding, _ log: String) {
    var physical: SARIF.Physical?
    if let site = finding.site, let colon = site.lastIndex(of: ":"),
      let line = Int(site[site.index(after: colon)...]), line > 0
    {
      let file = SARIF.Artifact(uri: String(site[..<colon]).asURI)
      physical = SARIF.Physical(artifactLocation: file, region: SARIF.Region(startLine: line))
    }
    physicalLocation =
      physical ?? SARIF.Physical(artifactLocation: SARIF.Artifact(uri: log.asURI), region: nil)
    logicalLocations = [
      finding.projection.map { SARIF.Logical(fullyQualifiedName: $0, kind: "function") },
      finding.path.map { SARIF.Logical(fullyQualifiedName: $0, kind: "variable") },
    ].compactMap(\.self)
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
