import ArgumentParser
import EventLog
import Foundation
import ReplayAnalysis

struct FleetCheck: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Fails where many sessions cost more than those of a baseline: for CI.",
    discussion: """
      Example: replay fleet check summaries@1.5 --baseline summaries@1.4
      Example: replay fleet check nightly --baseline release \\
                 --accepted accepted.txt --junit report.xml

      It compares as replay fleet diff does. What may cost more is listed in a file, a line each; * stands for any characters, \
      and after @ may be a class of devices:

        # The list shows a preview now.
        projection MessageRow
        write inbox.rows[*].* @ phone-small

      --update writes a file that accepts what costs more now. With --new, what is new is to be accepted too. The exit status \
      is 1 where something is not accepted, and 4 where there are too few sessions to tell, of which fleet diff says more.
      """)

  @Argument(
    help: ArgumentHelp("The tables to check, or these and a version: summaries@1.5.", valueName: "tables"),
    completion: .directory)
  var tables: String

  @Option(
    help: ArgumentHelp("The tables to compare with, likewise.", valueName: "tables"), completion: .directory)
  var baseline: String

  @Option(help: ArgumentHelp("What may cost more.", valueName: "file"), completion: .file())
  var accepted: String?

  @Flag(help: "Write what costs more now to the file of --accepted, after what that has.")
  var update = false

  @Flag(help: "Take what is new, and costs more than --floor, for worse.")
  var new = false

  @Option(help: ArgumentHelp("Write the result as JUnit XML, too.", valueName: "file"), completion: .file())
  var junit: String?

  @OptionGroup var replacing: ReplaceOptions
  @OptionGroup var options: FleetOptions

  func validate() throws {
    if update, accepted == nil { throw ValidationError("--update needs --accepted") }
  }

  func run(on console: Console) throws -> ToolStatus {
    let isThere = accepted.map { Platform.exists($0) } ?? false
    let list =
      try accepted.flatMap { update && !isThere ? nil : try AcceptedCosts(ofFile: $0) } ?? AcceptedCosts()
    let report = try junit.map {
      try OutputFile($0, replacing: replacing.replace, madeOf: isThere ? accepted.map { [$0] } ?? [] : [])
    }
    let compared = try options.compare(baseline, tables, on: console)
    console.reportCrowd(compared.difference.isCrowded)
    for absence in compared.absences { console.report("replay: \(absence)") }
    let result = Result(compared, list, takesNew: new)
    if update, let accepted, !compared.isUndecided {
      let text = list.text + result.faults.map { "\($0.subject)\n" }.joined()
      try OutputFile(accepted, replacing: isThere, madeOf: []).write(text)
      try console.print("\(accepted.shown): \(Units.count(result.faults.count, "line")) added")
      return .done
    }
    try report?.write(result.junit(tables))
    try print(result, compared, to: console)
    if compared.isUndecided { return .undecided }
    return result.faults.isEmpty ? .done : .found
  }

  private func print(_ result: Result, _ compared: FleetOptions.Compared, to console: Console) throws {
    let style = console.style
    if let reason = result.undecided {
      return try console.print("\(style.heading(tables.shown)): \(style.bad(reason))")
    }
    let verdict =
      result.faults.isEmpty
      ? style.good("nothing got worse that is not accepted")
      : style.bad("\(Units.count(result.faults.count, "cost")) more than accepted")
    try console.print("\(style.heading(tables.shown)): \(verdict)")
    if result.faults.isEmpty, let detectable = compared.difference.detectable {
      try console.print(style.dim(detectable.sentence))
    }
    for fault in result.faults { try console.print("  \(fault.subject.shown): \(fault.sentence)") }
    if !result.accepted.isEmpty {
      try console.print(style.dim("accepted: \(Units.count(result.accepted.count, "line")) that got worse"))
    }
    for line in result.unused {
      try console.print(
        style.dim("\(accepted ?? ""):\(line.number): nothing that got worse is \(line.text.shown)"))
    }
  }

  /// What got worse, and what of that is accepted.
  private struct Result {
    struct Cost {
      /// As a line of the file: `projection Row @ phone`.
      var subject: String
      var sentence: String
    }

    private(set) var faults: [Cost] = []
    private(set) var accepted: [Cost] = []
    /// The lines of the file that nothing needed.
    private(set) var unused: [AcceptedCosts.Line] = []
    /// Why nothing can be told.
    private(set) var undecided: String?

    init(_ compared: FleetOptions.Compared, _ list: AcceptedCosts, takesNew: Bool) {
      let difference = compared.difference
      if compared.isUndecided {
        undecided =
          "too few sessions to compare: \(difference.compared[0].grouped) in the baseline and "
          + "\(difference.compared[1].grouped) here, and --least is \(compared.least)"
        return
      }
      var used: Set<Int> = []
      func add(_ role: FleetSubject.Role, _ kind: String, _ device: String?, _ sentence: String) {
        let subject = "\(role.rawValue) \(kind)"
        let cost = Cost(subject: subject + (device.map { " @ \($0)" } ?? ""), sentence: sentence)
        let lines = list.lines.filter { $0.accepts(subject, device) }
        used.formUnion(lines.map(\.number))
        if lines.isEmpty { faults.append(cost) } else { accepted.append(cost) }
      }
      for line in difference.worse {
        let device = line.scope == .device ? line.devices : nil
        add(
          line.role, line.kind, device,
          "\(line.before.asDuration) before, \(line.after.asDuration) now: "
            + "more by \(line.low.asDuration) to \(line.high.asDuration) a \(difference.unit.rawValue)")
      }
      for change in takesNew ? difference.new : [] {
        add(change.role, change.kind, nil, "new, \(change.cost.asDuration) a \(difference.unit.rawValue)")
      }
      unused = list.lines.filter { !used.contains($0.number) }
    }

    /// The result as JUnit XML: a test case for each cost, and one for whether there are enough sessions.
    func junit(_ tables: String) -> String {
      let count = faults.count + accepted.count + 1
      let failures = faults.count + (undecided == nil ? 0 : 1)
      var text = """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites tests="\(count)" failures="\(failures)">
          <testsuite name="\("replay fleet check \(tables)".escapedForJUnit)" tests="\(count)" failures="\(failures)" \
        errors="0" skipped="\(accepted.count)" time="0">

        """
      func add(_ name: String, _ content: String) {
        text += "    <testcase classname=\"fleet\" name=\"\(name.escapedForJUnit)\" time=\"0\""
        text += content.isEmpty ? "/>\n" : ">\n      \(content)\n    </testcase>\n"
      }
      func failure(_ sentence: String) -> String {
        "<failure message=\"\(sentence.escapedForJUnit)\" type=\"fleet\">\(sentence.escapedForJUnit)</failure>"
      }
      add("there are enough sessions to compare", undecided.map(failure) ?? "")
      for fault in faults { add(fault.subject, failure("\(fault.subject): \(fault.sentence)")) }
      for cost in accepted {
        add(cost.subject, "<skipped message=\"\("accepted: \(cost.sentence)".escapedForJUnit)\"/>")
      }
      return text + "  </testsuite>\n</testsuites>\n"
    }
  }
}

/// The file of what may cost more.
struct AcceptedCosts {
  struct Line {
    var number: Int
    /// As it is in the file.
    var text: String
    fileprivate var subject: [UInt8]
    fileprivate var device: [UInt8]?

    /// Whether a cost may be more: `projection Row`, and the class of devices if it is of one.
    func accepts(_ subject: String, _ device: String?) -> Bool {
      guard Self.matches(self.subject, Array(subject.utf8)) else { return false }
      guard let own = self.device else { return true }
      return device.map { Self.matches(own, Array($0.utf8)) } ?? false
    }

    /// Whether a pattern, in which `*` stands for any bytes, is that of a text. In no more steps than the product of their
    /// lengths.
    private static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
      let star = UInt8(ascii: "*")
      var (place, position) = (0, 0)
      var last: (place: Int, position: Int)?
      while position < text.count {
        if place < pattern.count, pattern[place] == star {
          last = (place, position)
          place += 1
        } else if place < pattern.count, pattern[place] == text[position] {
          place += 1
          position += 1
        } else if let (known, from) = last {
          last = (known, from + 1)
          (place, position) = (known + 1, from + 1)
        } else {
          return false
        }
      }
      return pattern[place...].allSatisfy { $0 == star }
    }
  }

  private(set) var lines: [Line] = []
  /// The content of the file, with a line break at its end.
  private(set) var text = ""

  init() {}

  /// - Throws: `ToolError` with the position of a line that is none.
  init(ofFile path: String) throws {
    let reader = try LineReader(path: path, limit: Self.lineBytesMax)
    while let bytes = try reader.next() {
      let line = String(decoding: bytes, as: UTF8.self)
      text += line + "\n"
      let trimmed = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      if trimmed.isEmpty || trimmed.hasPrefix("#") { continue }
      if lines.count >= Self.linesMax {
        throw ToolError(file: path, line: reader.lineNumber, column: 1, "there are too many lines")
      }
      let parts = trimmed.components(separatedBy: " @ ")
      let role = trimmed.split(separator: " ").first.map(String.init) ?? ""
      guard parts.count <= 2, trimmed.contains(" "), role == "*" || FleetSubject.Role(rawValue: role) != nil
      else {
        throw ToolError(
          file: path, line: reader.lineNumber, column: 1,
          "write, projection or action and a name are expected, and maybe @ and a class of devices")
      }
      lines.append(
        Line(
          number: reader.lineNumber, text: trimmed, subject: Array(parts[0].utf8),
          device: parts.count > 1 ? Array(parts[1].utf8) : nil))
    }
  }

  private static let lineBytesMax = 8 << 10
  private static let linesMax = 100_000
}
