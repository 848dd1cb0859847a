import EventLog
import ReplayAnalysis
import Yams

/// Budgets as text, made of what a run did.
enum BudgetUpdate {
  /// A budget that the run just keeps: of every projection that ran, and of every kind of write that woke somebody.
  ///
  /// Times are left out, as they differ from run to run.
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
    ]
    var text = """
      # What a run may do at most; replay check LOG --budget FILE. Written by --update from \(log.shown).
      # Limits: evaluations, wasted, invalidations, time: 20ms; of cascades also fan_out, each of any one of them.
      # A number, or +10% and +3 against --baseline LOG. * in a name stands for any characters.

      """
    for (scope, node) in scopes where node.mapping?.isEmpty == false {
      let section = Node([(Node(scope.rawValue), node)])
      text += try "\n" + ByteText.unveiled(serialize(node: section, width: -1, allowUnicode: true))
    }
    return text
  }

  /// The same file with what the run did in the place of each absolute limit; the rest of it, comments too, stays.
  ///
  /// - Returns: The text, and how many limits are others than before.
  static func rewrite(_ text: String, _ budget: Budget, _ check: BudgetCheck) -> (text: String, changes: Int)
  {
    let bytes = Array(text.utf8)
    let lines = [0] + bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 + 1 }
    let ends = Set(" \t\r\n,}\"'".utf8)
    var output: [UInt8] = []
    var (copied, changes) = (0, 0)
    for (limit, result) in zip(budget.limits, check.limits) {
      guard case .absolute(let old) = limit.bound else { continue }
      let isTime = limit.measure == .time
      let new = isTime ? roomy(result.actual) : result.actual
      if isTime ? old >= result.actual : old == new { continue }
      let quote = lines[limit.line - 1] + limit.column - 1
      let start = bytes[quote] == 0x22 || bytes[quote] == 0x27 ? quote + 1 : quote
      let value = bytes[start...].prefix { !ends.contains($0) }
      // What is not the limit as it stands, as one with a tag or escapes, is left alone.
      let bound = Budget.Bound(String(decoding: value, as: UTF8.self), isTime: isTime)
      guard bound == limit.bound else { continue }
      output += bytes[copied..<start]
      output += Array((isTime ? duration(new) : "\(new)").utf8)
      copied = value.endIndex
      changes += 1
    }
    return (String(decoding: output + bytes[copied...], as: UTF8.self), changes)
  }

  /// Times differ from run to run: half as much again.
  private static func roomy(_ time: UInt64) -> UInt64 { time.addingClamped(time / 2) }

  private static func duration(_ time: UInt64) -> String {
    func up(_ unit: UInt64) -> UInt64 { time / unit + (time % unit > 0 ? 1 : 0) }
    return time < 1_000_000 ? "\(up(1000))us" : "\(up(1_000_000))ms"
  }
}
