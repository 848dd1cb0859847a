import EventLog
import ReplayAnalysis
import Yams

/// Reads budgets from YAML, whose nodes know the line and column that an error reports.
extension Budget {
  /// Bounds the memory: the nodes take some 70 times as much as the text.
  private static let maxBytes = 16 << 20

  static func text(ofFile path: String) throws -> String {
    var text: [UInt8] = []
    let lines = try LineReader(path: path, limit: maxBytes)
    while let line = try lines.next() {
      text += line + [0x0A]
      guard text.count <= maxBytes else {
        throw ToolError(file: path, line: lines.lineNumber, column: 1, "too long; at most 16 MiB are read")
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Parses the text of a file.
  ///
  /// - Throws: `ToolError` with the position of the mistake and what to write instead.
  init(_ text: String, file: String) throws {
    self.init(file: file)
    let reader = BudgetReader(file: file)
    for (key, node, value) in try reader.entries(of: text) {
      guard let scope = Scope(rawValue: key) else {
        throw reader.mistake(
          at: node, "there is no \(key)", instead: key, among: Scope.allCases.map(\.rawValue))
      }
      let entries =
        try scope == .total
        ? [("", node, value)] : reader.entries(in: value, or: "names are written below \(key), as NAME:")
      for entry in entries { limits += try reader.limits(of: entry, scope) }
    }
    if limits.isEmpty {
      throw ToolError(
        file: file, line: 1, column: 1, "no limits; --update writes those of a run into a new file")
    }
  }
}

/// Makes limits from YAML nodes.
private struct BudgetReader {
  typealias Entry = (key: String, node: Node, value: Node)

  let file: String

  func entries(of text: String) throws -> [Entry] {
    do {
      // Hashing a key that is an alias visits everything it stands for, which a short file can make enormous,
      // so `&` never begins an anchor here. A lone carriage return does not end a line, as in the code that
      // counts lines.
      let yaml = ByteText.veiled(text).replacing("&", with: ByteText.ampersand).replacing("\r", with: " ")
      // The basic resolver reads every scalar as text. Without an explicit encoding, Yams takes one from the
      // environment and prints that it did.
      let parser = try Parser(yaml: yaml, resolver: .basic, encoding: .utf8)
      guard let root = try parser.singleRoot() else { return [] }
      return try entries(in: root, or: "a budget begins with total:, projections:, cascades: or actions:")
    } catch let error as YamlError {
      let (line, column, problem) = error.located
      throw ToolError(file: file, line: line, column: column, ByteText.unveiled(problem).shown)
    }
  }

  /// The entries of a mapping in the order of the file. A key without a value has none: everything below it
  /// may be commented out.
  func entries(in node: Node, or reason: String) throws -> [Entry] {
    if node.scalar?.string.isEmpty == true { return [] }
    guard let mapping = node.mapping else { throw mistake(at: node, reason) }
    return try mapping.map { key, value in
      guard let name = key.scalar?.string else { throw mistake(at: key, "a key is a name") }
      return (ByteText.unveiled(name), key, value)
    }
  }

  func limits(of entry: Entry, _ scope: Budget.Scope) throws -> [Budget.Limit] {
    let name = entry.key
    if scope == .projection, name.projectionGroup != name {
      throw mistake(
        at: entry.node, "\(name) is one instance; a budget is for all, as \(name.projectionGroup):")
    }
    let reason = "limits are written below \(scope == .total ? "total" : name), as evaluations: 300"
    return try entries(in: entry.value, or: reason).map { key, node, value in
      guard let measure = Budget.Measure(rawValue: key), scope.measures.contains(measure) else {
        throw mistake(
          at: node, "there is no limit \(key) here", instead: key, among: scope.measures.map(\.rawValue))
      }
      let text = ByteText.unveiled(value.scalar?.string ?? "")
      guard let bound = Budget.Bound(text, isTime: measure.isTime), let mark = value.mark else {
        let form = measure.isTime ? "time, as \(key): 20ms" : "whole number, as \(key): 300"
        throw mistake(at: value, "a limit is a \(form), or beside a baseline \(key): +10%")
      }
      return Budget.Limit(
        scope: scope, name: name, measure: measure, bound: bound, line: mark.line, column: mark.column)
    }
  }

  func mistake(at node: Node, _ reason: String, instead name: String = "", among known: [String] = [])
    -> ToolError
  {
    var text = reason
    if !known.isEmpty {
      text += Suggestion.text(for: name, among: known) + "; it may be \(known.joined(separator: ", "))"
    }
    return ToolError(file: file, line: node.mark?.line ?? 1, column: node.mark?.column ?? 1, text.shown)
  }
}

extension Budget.Bound {
  /// Parses `300`, `20ms`, `+10%`, `-5%` or `+3`.
  init?(_ text: String, isTime: Bool) {
    let amount = String(text.drop { $0 == "+" || $0 == "-" })
    let sign = text.dropLast(amount.count)
    switch (sign, amount.hasSuffix("%")) {
    case ("+", true), ("-", true):
      let digits = amount.dropLast()
      guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 || $0 == 0x2E }), let percent = Double(digits)
      else { return nil }
      self = .percent(sign == "-" ? -percent : percent)
    case ("", false), ("+", false):
      var count = isTime ? nil : UInt64(amount.replacing("_", with: ""))
      if isTime, case .time(let time)? = Moment(argument: amount) { count = time }
      guard let count else { return nil }
      self = sign == "+" ? .more(count) : .absolute(count)
    default: return nil
    }
  }
}

/// Converts text for Yams: each byte beyond ASCII becomes a private character of its own.
///
/// Yams compares keys as Swift does, by which two spellings of é are equal; in a log they are different
/// names. Besides, columns count bytes.
private enum ByteText {
  /// Stands for `&`, and begins no anchor.
  static let ampersand = "\u{E026}"

  static func veiled(_ text: String) -> String {
    let scalars = text.utf8.map { Unicode.Scalar(UInt16($0) + ($0 < 0x80 ? 0 : 0xE000)) ?? "?" }
    return String(String.UnicodeScalarView(scalars))
  }

  static func unveiled(_ text: String) -> String {
    let bytes = text.unicodeScalars.flatMap { scalar in
      UInt8(exactly: Int(scalar.value) - 0xE000).map { [$0] } ?? Array(String(scalar).utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension YamlError {
  /// The position and the cause of a parse error, without the excerpt that the description has.
  fileprivate var located: (line: Int, column: Int, problem: String) {
    switch self {
    case .scanner(let context, let problem, let mark, let yaml),
      .parser(let context, let problem, let mark, let yaml),
      .composer(let context, let problem, let mark, let yaml):
      let text = "\(context.map { "\($0.text), " } ?? "")\(problem)"
      let isAlias = text.contains("alias") || yaml.contains(": \(ByteText.ampersand)")
      let hint = "; a budget has no anchors and aliases, and a name that begins with * is written in quotes"
      return (mark.line, mark.column, text + (isAlias ? hint : ""))
    case .duplicatedKeysInMapping(let keys, let context):
      return (context.mark.line, context.mark.column, "\(keys.joined(separator: ", ")) is here twice")
    case .reader(let problem, let offset, _, let yaml):
      let before = yaml.prefix(offset ?? 0)
      let lines = before.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      return (lines.count, (lines.last?.count ?? 0) + 1, problem)
    default: return (1, 1, description)
    }
  }
}

/// Writes budgets from the measures of a run.
enum BudgetUpdate {
  /// A new budget that the run just meets, for every projection that ran and every kind of write that
  /// invalidated one.
  ///
  /// It has no limits on times, since they differ from run to run.
  static func new(_ run: BudgetMeasures, log: String) throws -> String {
    typealias Amounts = BudgetMeasures.Amounts
    func limits(_ amounts: Amounts, _ measures: [Budget.Measure]) -> Node {
      Node(measures.map { (Node($0.rawValue), Node("\(amounts[$0])")) })
    }
    func each(_ all: [ExactString: Amounts], with need: Budget.Measure, _ measures: [Budget.Measure]) -> Node
    {
      let own = all.filter { $0.value[need] > 0 }.sorted { $0.key < $1.key }
      return Node(own.map { (Node(ByteText.veiled($0.key.string)), limits($0.value, measures)) })
    }
    let scopes: [(Budget.Scope, Node)] = [
      (.total, limits(run.total, [.evaluations, .wasted])),
      (.projection, each(run.projections, with: .evaluations, [.evaluations, .wasted])),
      (.cascade, each(run.cascades, with: .invalidations, [.evaluations, .fanOut])),
      (.action, each(run.actions, with: .evaluations, [.evaluations, .wasted])),
    ]
    var text = """
      # What a run may do at most; replay check LOG --budget FILE. Written by --update from \(log.shown).
      # Limits: evaluations, wasted, invalidations, time: 20ms; of cascades also fan_out, each of any one of them;
      # of actions evaluations, wasted, time, until_settled: 2s, each of any one action with the label.
      # A number, or +10% and +3 against --baseline LOG. * in a name stands for any characters.

      """
    for (scope, node) in scopes where node.mapping?.isEmpty == false {
      let section = Node([(Node(scope.rawValue), node)])
      text += try "\n" + ByteText.unveiled(serialize(node: section, width: -1, allowUnicode: true))
    }
    return text
  }

  /// The file's text with each absolute limit replaced by what the run did. Everything else, including
  /// comments, stays.
  ///
  /// - Returns: The text, and the number of limits that changed.
  static func rewrite(_ text: String, _ budget: Budget, _ check: BudgetCheck) -> (text: String, changes: Int)
  {
    let bytes = Array(text.utf8)
    let lines = [0] + bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 + 1 }
    let ends = Set(" \t\r\n,}\"'".utf8)
    var output: [UInt8] = []
    var (copied, changes) = (0, 0)
    for (limit, result) in zip(budget.limits, check.limits) {
      guard case .absolute(let old) = limit.bound else { continue }
      // A limit of 0 would be kept from now on, whatever the name is now.
      if result.subject == nil { continue }
      let isTime = limit.measure.isTime
      let new = isTime ? roomy(result.actual) : result.actual
      if isTime ? old >= result.actual : old == new { continue }
      let quote = lines[limit.line - 1] + limit.column - 1
      let start = bytes[quote] == 0x22 || bytes[quote] == 0x27 ? quote + 1 : quote
      let value = bytes[start...].prefix { !ends.contains($0) }
      // If the text there is not just the limit, but has a tag or escapes, it is left alone.
      let bound = Budget.Bound(String(decoding: value, as: UTF8.self), isTime: isTime)
      guard bound == limit.bound else { continue }
      output += bytes[copied..<start]
      output += Array((isTime ? duration(new) : "\(new)").utf8)
      copied = value.endIndex
      changes += 1
    }
    return (String(decoding: output + bytes[copied...], as: UTF8.self), changes)
  }

  /// A limit of one and a half times the measured time, since times differ from run to run.
  private static func roomy(_ time: UInt64) -> UInt64 { time + time / 2 }

  private static func duration(_ time: UInt64) -> String {
    func up(_ unit: UInt64) -> UInt64 { time / unit + (time % unit > 0 ? 1 : 0) }
    return time < 1_000_000 ? "\(up(1000))us" : "\(up(1_000_000))ms"
  }
}
