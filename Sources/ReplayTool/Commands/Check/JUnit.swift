import EventLog
import ReplayAnalysis

/// A check as JUnit XML, a test case for each limit.
struct JUnit {
  private(set) var text = ""

  init(_ check: BudgetCheck) {
    text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites tests="\(check.limits.count)" failures="\(check.broken)">
        <testsuite name="\(Self.escape("replay check \(check.log)"))" tests="\(check.limits.count)" \
      failures="\(check.broken)" errors="0" skipped="0" time="0">

      """
    for result in check.limits { add(result, check.budget) }
    text += "  </testsuite>\n</testsuites>\n"
  }

  private mutating func add(_ result: BudgetCheck.Result, _ file: String) {
    let group = result.scope == .total ? "total" : "\(result.scope.rawValue).\(result.name)"
    text += "    <testcase classname=\"\(Self.escape(group))\" name=\"\(result.measure.rawValue)\""
    text += " file=\"\(Self.escape(file))\" line=\"\(result.line)\" time=\"0\""
    guard result.isBroken else {
      text += "/>\n"
      return
    }
    let sentence = Self.escape(result.sentence)
    text += ">\n      <failure message=\"\(sentence)\" type=\"budget\">"
    text += "\(Self.escape(file)):\(result.line): \(sentence)</failure>\n    </testcase>\n"
  }

  /// XML has no way to write most control characters, so they are shown as they are to people.
  private static func escape(_ text: String) -> String {
    var output = ""
    for scalar in text.shown.cut(to: 1000).unicodeScalars {
      switch scalar {
      case "&": output += "&amp;"
      case "<": output += "&lt;"
      case ">": output += "&gt;"
      case "\"": output += "&quot;"
      case _ where scalar.value & 0xFFFE == 0xFFFE: output += "\u{FFFD}"
      default: output.unicodeScalars.append(scalar)
      }
    }
    return output
  }
}
