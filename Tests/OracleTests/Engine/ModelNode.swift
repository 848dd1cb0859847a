import EventLog

/// A projection, derived value or callback in the brute-force model of a session.
final class ModelNode {
  enum Kind {
    case derived([Program.Op])
    case projection([Program.Op], appear: [Program.Action])
    case change(Program.Source, Program.Pace, [Program.Action])
    case receive(Program.Source, [Program.Action])
  }

  let order: Int
  let name: String
  let kind: Kind
  let tracking: Tracking

  /// The places that were read, and their values when they were read or when the last unit ended; nil if not
  /// recorded.
  var seen: [ModelState.Place: [Int]?] = [:]
  /// With `.object`: the cells that were read, in whole or in part.
  var cells: Set<Int> = []
  /// With `.object`: whether one of these was set in the present unit.
  var isTouched = false
  var isDirty: Bool
  var isDisposed = false
  var isRunning = false
  /// Whether a property that it has read from changed during its run.
  var isStale = false
  /// The round in which it last ran.
  var round = 0

  var children: [String: ModelNode] = [:]
  var visited: Set<String> = []
  var input: Int?
  var output = 0

  /// For a derived value: its result, and the derived values it read.
  var result: Int?
  var sources: [Int] = []
  /// For callbacks: the last value passed; the values to pass; whether to wait, and until when.
  var last: Int?
  var pending: [Int] = []
  /// Its calls in the rounds of the present flush after the first.
  var calls = 0
  var pace = Program.Pace.none
  var earliest = 0

  init(_ order: Int, _ name: String, _ kind: Kind, _ tracking: Tracking) {
    (self.order, self.name, self.kind, self.tracking) = (order, name, kind, tracking)
    if case .receive = kind { isDirty = false } else { isDirty = true }
  }

  var mayFail: Bool { if case .derived(let ops) = kind { ops.contains { $0.mayFail } } else { false } }
  var isDerived: Bool { if case .derived = kind { true } else { false } }
}
