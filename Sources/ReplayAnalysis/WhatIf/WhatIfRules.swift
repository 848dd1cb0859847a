import EventLog

/// The rules under which `what-if` predicts a run.
package struct WhatIfRules {
  var tracking: [TrackingRule] = []
  var isolations: [ReadRule] = []
  var inputs: [InputRule] = []
  var throttles: [ThrottleRule] = []
  /// Paths to which the app does not make sets of an equal value.
  var quiet: [PathPattern] = []

  package init(
    tracking: [TrackingRule] = [], isolations: [ReadRule] = [], inputs: [InputRule] = [],
    throttles: [ThrottleRule] = [], quiet: [PathPattern] = []
  ) {
    self.tracking = tracking
    self.isolations = isolations
    self.inputs = inputs
    self.throttles = throttles
    self.quiet = quiet
  }

  /// The rules that options of the command stand for; nil if one of them cannot be read.
  init?(options: [String]) {
    self.init()
    for (option, argument) in zip(options, options.dropFirst()) where option.hasPrefix("--") {
      switch option {
      case "--tracking": TrackingRule(argument: argument).map { tracking.append($0) }
      case "--isolate": ReadRule(argument: argument).map { isolations.append($0) }
      case "--input": InputRule(argument: argument).map { inputs.append($0) }
      case "--throttle": ThrottleRule(argument: argument).map { throttles.append($0) }
      case "--no-same-value": (try? PathPattern(parsing: argument)).map { quiet.append($0) }
      default: return nil
      }
    }
    if 2 * texts.count != options.count { return nil }
  }

  package var isEmpty: Bool {
    tracking.isEmpty && isolations.isEmpty && inputs.isEmpty && throttles.isEmpty && quiet.isEmpty
  }

  /// Whether the rules may leave out sets.
  var dropsSets: Bool { !throttles.isEmpty || !quiet.isEmpty }

  /// Whether a rule tracks by element.
  var wantsElements: Bool { tracking.contains { $0.tracking == .element } }

  /// The rules as options of the command.
  var texts: [String] {
    tracking.map { "--tracking \($0.text)" } + isolations.map { "--isolate \($0.text)" }
      + inputs.map { "--input \($0.text)" } + throttles.map { "--throttle \($0.text)" }
      + quiet.map { "--no-same-value \($0)" }
  }

  /// How finely a projection tracks its reads; nil to keep what was recorded. A rule without a name does not
  /// apply to callbacks: these are not views, and track what they were asked to watch.
  func tracking(of name: String) -> Tracking? {
    let isCallback = name.hasPrefix("onChange(") || name.hasPrefix("onReceive(")
    return tracking.last { rule in rule.projection.map { $0.matches(name) } ?? !isCallback }?.tracking
  }
}

/// `element`, or `Row:element` for the projections with this name.
package struct TrackingRule {
  let text: String
  var projection: ProjectionPattern?
  var tracking: Tracking

  package init?(argument: String) {
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
package struct ReadRule {
  let text: String
  var projection: ProjectionPattern
  var path: PathPattern

  package init?(argument: String) {
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
package struct InputRule {
  let text: String
  var projection: ProjectionPattern
  var path: PathPattern?

  package init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    text = argument
    if let rule = ReadRule(argument: argument) {
      (projection, path) = (rule.projection, rule.path)
    } else {
      projection = ProjectionPattern(argument)
    }
  }
}

/// `app.position=250ms`: at most one set of each matching path per interval, in nanoseconds.
package struct ThrottleRule {
  let text: String
  var path: PathPattern
  var interval: UInt64

  package init?(argument: String) {
    guard let equals = argument.lastIndex(of: "="),
      let path = try? PathPattern(parsing: String(argument[..<equals])),
      case .time(let interval)? = Moment(argument: String(argument[argument.index(after: equals)...])),
      interval > 0
    else { return nil }
    text = argument
    self.path = path
    self.interval = interval
  }
}
