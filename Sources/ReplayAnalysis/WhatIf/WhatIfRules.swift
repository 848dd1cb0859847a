import EventLog

/// The rules under which `what-if` predicts a run: changes of the app, read for the simulation.
package struct WhatIfRules: Sendable {
  /// The changes that the rules stand for, by kind.
  let changes: [Change]
  private(set) var tracking: [TrackingRule] = []
  private(set) var isolations: [ReadRule] = []
  private(set) var inputs: [InputRule] = []
  /// Projections that run only if what they show differs.
  private(set) var derivations: [InputRule] = []
  /// How close together writes must be to be one transaction, in nanoseconds; nil if none are joined, 0 if only what one
  /// write of the app led to is.
  private(set) var transactionGap: UInt64?
  private(set) var paces: [PaceRule] = []
  /// Paths where a set to a value that is equal as recorded is no change.
  private(set) var equatable: [PathPattern] = []
  /// Projections that show elements of a list, and the list.
  private(set) var identities: [ReadRule] = []
  /// Paths to which the app does not make sets of an equal value.
  private(set) var quiet: [PathPattern] = []

  /// - Throws: `Change.Malformed` if the argument of a change has not the form that its kind expects.
  package init(_ changes: [Change]) throws(Change.Malformed) {
    let kinds = Change.Kind.allCases
    self.changes = kinds.flatMap { kind in changes.filter { $0.kind == kind } }
    for change in self.changes where !add(change.kind, change.argument) {
      if change.kind == .equatable || change.kind == .noSameValue {
        do { _ = try PathPattern(parsing: change.argument) } catch {
          throw Change.Malformed(message: "\(error.reason), at column \(error.column)")
        }
      }
      throw Change.Malformed(message: "expected \(change.kind.form)")
    }
  }

  /// Returns false if the argument cannot be read.
  private mutating func add(_ kind: Change.Kind, _ argument: String) -> Bool {
    func append<Rule>(_ rule: Rule?, to rules: inout [Rule]) -> Bool {
      rules += rule.map { [$0] } ?? []
      return rule != nil
    }
    let pattern = try? PathPattern(parsing: argument)
    switch kind {
    case .tracking: return append(TrackingRule(argument: argument), to: &tracking)
    case .isolate: return append(ReadRule(argument: argument), to: &isolations)
    case .input: return append(InputRule(argument: argument), to: &inputs)
    case .derived: return append(InputRule(argument: argument), to: &derivations)
    case .transaction:
      if argument == "cascade" {
        transactionGap = transactionGap ?? 0
        return true
      }
      guard case .time(let gap)? = Moment(argument: argument), gap > 0 else { return false }
      transactionGap = max(transactionGap ?? 0, gap)
      return true
    case .throttle: return append(PaceRule(argument: argument), to: &paces)
    case .debounce: return append(PaceRule(argument: argument, waits: true), to: &paces)
    case .equatable: return append(pattern, to: &equatable)
    case .identity: return append(ReadRule(argument: argument), to: &identities)
    case .noSameValue: return append(pattern, to: &quiet)
    }
  }

  /// The changes that make another run (``OtherRun``); the others only leave out some of its runs.
  var otherRun: [Change] { changes.filter { $0.kind != .derived && $0.kind != .identity } }

  /// Whether the rules may leave out sets.
  var dropsSets: Bool { !paces.isEmpty || !quiet.isEmpty }

  /// Whether a rule tracks by element.
  var wantsElements: Bool { tracking.contains { $0.tracking == .element } }

  /// The rules as options of the command.
  var texts: [String] { changes.map { $0.words.joined(separator: " ") } }

  /// How finely a projection tracks its reads; nil to keep what was recorded. A rule without a name does not
  /// apply to callbacks: these are not views, and track what they were asked to watch.
  func tracking(of name: String) -> Tracking? {
    tracking.last { rule in rule.projection.map { $0.matches(name) } ?? !name.isCallbackName }?.tracking
  }
}

/// `element`, or `Row:element` for the projections with this name.
struct TrackingRule {
  let text: String
  var projection: ProjectionPattern?
  var tracking: Tracking

  init?(argument: String) {
    text = argument
    var mode = argument[...]
    if let colon = argument.lastIndex(of: ":") {
      mode = argument[argument.index(after: colon)...]
      projection = ProjectionPattern(String(argument[..<colon]))
    }
    switch mode {
    case "object": tracking = .object
    case "property": tracking = .property
    case "element": tracking = .element
    default: return nil
    }
  }
}

/// `ChatView:chat.tts.audioLevel`: the reads of matching paths by matching projections.
struct ReadRule {
  let text: String
  var projection: ProjectionPattern
  var path: PathPattern

  init?(argument: String) {
    // A name may contain a colon, so try each one until the rest parses as a pattern.
    for colon in argument.indices where argument[colon] == ":" && colon != argument.startIndex {
      guard let path = try? PathPattern(parsing: String(argument[argument.index(after: colon)...])) else {
        continue
      }
      text = argument
      projection = ProjectionPattern(String(argument[..<colon]))
      self.path = path
      return
    }
    return nil
  }
}

/// `Row`; or `Row:store.rows` if its parent reads that path for it.
struct InputRule {
  let text: String
  var projection: ProjectionPattern
  var path: PathPattern?

  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    text = argument
    if let rule = ReadRule(argument: argument) {
      (projection, path) = (rule.projection, rule.path)
    } else {
      projection = ProjectionPattern(argument)
    }
  }
}

/// `app.position=250ms`: at most one set of each matching path in an interval, in nanoseconds; or, if it waits, one once
/// there was none for so long.
struct PaceRule {
  let text: String
  var path: PathPattern
  var interval: UInt64
  var waits: Bool

  init?(argument: String, waits: Bool = false) {
    guard let equals = argument.lastIndex(of: "="),
      let path = try? PathPattern(parsing: String(argument[..<equals])),
      case .time(let interval)? = Moment(argument: String(argument[argument.index(after: equals)...])),
      interval > 0
    else { return nil }
    text = argument
    self.path = path
    self.interval = interval
    self.waits = waits
  }
}
