import EventLog
import ReplayAnalysis

/// The source of a test that drives a recording. What comes from the log becomes names of Swift only where it is one; all else
/// stands in literals, with its escapes.
struct DrivenTest {
  /// How often projections are to run.
  struct Expectation {
    /// In the words of the test's name: `RunsAsRecorded`.
    fileprivate var name: String
    /// The sentences above the test.
    fileprivate var about: String
    fileprivate var counts: [(name: String, count: String)]
    /// How often all others may run together; nil if that is of no interest.
    fileprivate var others: String?
    fileprivate var allowsNoMore = false
    fileprivate var view: String?

    /// As often as in the recording.
    static func recorded(_ evaluations: [(name: String, count: Int)], view: String?) -> Expectation {
      let shown = DrivenTest.shown(evaluations, view)
      return Expectation(
        name: "RunsAsRecorded",
        about: "It runs as often as when it was recorded.",
        counts: shown.map { ($0.name, $0.count.literal) },
        others: view == nil ? DrivenTest.rest(evaluations, besides: shown).literal : nil, view: view)
    }

    /// At most as often as predicted. Views that the fix adds have no names yet, and count among the others.
    static func predicted(_ prediction: WhatIf, finding: LintReport.Finding, view: String?) -> Expectation {
      var most: [(name: String, count: Int)] = []
      var new = 0
      for line in prediction.lines {
        let count = line.after.evaluations
        if line.before == nil { new += count } else { most.append((line.name, count)) }
      }
      for item in prediction.unknown {
        if let index = most.firstIndex(where: { $0.name.hasSameBytes(as: item.name) }) {
          most[index].count += item.work.evaluations
        }
      }
      let shown = DrivenTest.shown(most, view)
      let rest = new + DrivenTest.rest(most, besides: shown)
      return Expectation(
        name: "RunsAsPredicted", about: "Fixed is: \(finding.message) \(finding.advice)",
        counts: shown.map { ($0.name, "0...\($0.count.literal)") },
        others: view == nil ? "0...\(rest.literal)" : nil, allowsNoMore: view == nil, view: view)
    }
  }

  let text: String

  /// More projections than a test should list; the others are expected together.
  private static let shownMost = 40
  private static let columns = 110

  /// - Parameters:
  ///   - path: The recording, as the test names it.
  ///   - types: The classes of roots, where the log's names of them are not enough.
  ///   - attaches: Whether the test attaches the objects, and not what is mounted.
  ///   - mount: What mounts the views; nil if that is to be filled in.
  init(
    _ program: RecordedProgram, of log: LogSource, at path: String, _ expectation: Expectation,
    types: [RootType], attaches: Bool, mount: String?, isXCTest: Bool
  ) {
    var names = SwiftNames()
    let roots = program.roots.map { root in
      let given = types.last { $0.root.hasSameBytes(as: root.name) }?.type
      let type = (given ?? root.type).flatMap { $0.isSwiftType ? $0 : nil } ?? "<#its class#>"
      let variable = names.variable(for: root.name)
      return "let \(variable) = try drive.attach(\(type).self, root: \(root.name.literal))"
    }
    let first = zip(program.roots, roots).filter { !$0.0.isLate }.map(\.1)
    let hole =
      attaches
      ? "<#Mount the views here, as ContentView(\(names.first ?? "model")).mount(in: drive.session)#>"
      : "<#Attach the objects here under their names, and mount the views, in drive.session#>"
    var body = attaches ? first : []
    body += mount.map { $0.split(separator: "\n").map(String.init) } ?? [hole]
    // To attach what was attached later drives all before that, which the views have to see.
    if attaches { body += roots[first.count...] }
    body.append("let report = try drive.run()")
    if expectation.allowsNoMore { body.append("report.expectNoMore(than: .recorded)") }
    body += expectation.lines
    let stem = LogPath(path).name
    let title =
      (expectation.view.map { "\($0) in " } ?? "")
      + (stem.hasSuffix(".evlog") ? String(stem.dropLast(6)) : stem)
    let name = title.camelCase + expectation.name
    let about =
      "\(log.header.program.shown(most: 100)), driven through the code as it is now. \(expectation.about.shown)"
    let comment = about.wrapped(to: Self.columns).map { "/// \($0)" }
    var test = comment
    test.append(isXCTest ? "func test\(name.withLargeFirst)() throws {" : "@Test func \(name)() throws {")
    test.append("  try withDrivenRecording(\(path.literal)) { drive in")
    test += body.map { "    \($0)" }
    test += ["  }", "}"]
    if isXCTest {
      let type = "\(title.camelCase.withLargeFirst)DrivenTests"
      test = ["final class \(type): XCTestCase {"] + test.map { "  \($0)" } + ["}"]
    }
    // Expectations say where they stand by a macro of Testing, also in a test of XCTest.
    let imports =
      ["import Projection", "import ReplayTesting", "import Testing"] + (isXCTest ? ["import XCTest"] : [])
      + (program.modules.isEmpty ? [] : [""]) + program.modules.prefix(3).map { "@testable import \($0)" }
    text = (imports + [""] + test).joined(separator: "\n") + "\n"
  }

  /// The projections that are expected by name: the one that is asked for, or those with the most runs.
  private static func shown(_ counts: [(name: String, count: Int)], _ view: String?) -> [(
    name: String, count: Int
  )] {
    if let view { return counts.filter { $0.name.hasSameBytes(as: view) } }
    let most = counts.sorted { ($1.count, $0.name) < ($0.count, $1.name) }.prefix(shownMost)
    return most.sorted { $0.name < $1.name }
  }

  private static func rest(
    _ counts: [(name: String, count: Int)], besides shown: [(name: String, count: Int)]
  ) -> Int {
    counts.reduce(0) { $0 + $1.count } - shown.reduce(0) { $0 + $1.count }
  }
}

extension DrivenTest.Expectation {
  fileprivate var lines: [String] {
    let end = others.map { "others: \($0)" }
    let list = counts.map { "\($0.name.literal): \($0.count)" }
    let short = "report.expectEvaluations([\(list.joined(separator: ", "))]\(end.map { ", \($0)" } ?? ""))"
    if short.utf8.count <= 100 { return [short] }
    return ["report.expectEvaluations(", "  ["] + list.map { "    \($0)," }
      + (end.map { ["  ],", "  \($0))"] } ?? ["  ])"])
  }
}

/// Names of variables in a test.
private struct SwiftNames {
  private var taken: Set<String> = ["drive", "report"]
  private(set) var first: String?

  private static let keywords: Set<String> = [
    "Any", "Self", "actor", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue",
    "default",
    "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
    "func", "guard",
    "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup",
    "private",
    "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super",
    "switch",
    "throw", "throws", "true", "try", "typealias", "var", "where", "while", "_",
  ]

  /// A name of its own for what the log calls so.
  mutating func variable(for text: String) -> String {
    let base = text.camelCase
    let start = Self.keywords.contains(base) || taken.contains(base) ? base + "Root" : base
    var name = start
    var number = 2
    while !taken.insert(name).inserted {
      name = "\(start)\(number)"
      number += 1
    }
    first = first ?? name
    return name
  }
}

extension Int {
  /// As Swift has it: `301`, `15_050`.
  fileprivate var literal: String {
    if self < 10_000 { return String(self) }
    return grouped.replacing(",", with: "_")
  }
}

extension String {
  /// Whether it is the name of a class in Swift, perhaps within others and with arguments.
  var isSwiftType: Bool {
    var depth = 0
    var isStart = true
    for byte in utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
        isStart = false
      case UInt8(ascii: "0")...UInt8(ascii: "9") where !isStart: break
      case UInt8(ascii: ".") where !isStart: isStart = true
      case UInt8(ascii: "<") where !isStart: (depth, isStart) = (depth + 1, true)
      case UInt8(ascii: ",") where !isStart && depth > 0: isStart = true
      case UInt8(ascii: " ") where isStart && depth > 0: break
      case UInt8(ascii: ">") where !isStart && depth > 0: depth -= 1
      default: return false
      }
    }
    return !isStart && depth == 0 && utf8.count <= 200
  }

  /// A literal of Swift for this text.
  fileprivate var literal: String {
    var text = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\\", "\"": text += "\\\(scalar)"
      case _ where scalar.isASCII && scalar.value >= 0x20 && scalar.value < 0x7F:
        text.unicodeScalars.append(scalar)
      case _ where scalar.properties.isAlphabetic: text.unicodeScalars.append(scalar)
      default: text += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return text + "\""
  }

  /// A name of Swift made of it: `chat-wide` is `chatWide`.
  fileprivate var camelCase: String {
    let words = utf8.split { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        false
      default: true
      }
    }
    .map { String(decoding: $0.prefix(60), as: UTF8.self) }.prefix(8)
    guard let first = words.first else { return "recording" }
    let start = first.prefix(1).lowercased() + first.dropFirst()
    let name = start + words.dropFirst().map(\.withLargeFirst).joined()
    return name.utf8.first.map { 0x30...0x39 ~= $0 } ?? true ? "recording\(name.withLargeFirst)" : name
  }

  fileprivate var withLargeFirst: String { prefix(1).uppercased() + dropFirst() }
}
