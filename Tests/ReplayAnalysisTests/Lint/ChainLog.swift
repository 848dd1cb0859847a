import EventLog
import LogGenerator

@testable import ReplayAnalysis

/// Lines of a log in which something sets `app.a`, a view shows it, and a callback sets `app.b` because of it.
struct ChainLog {
  /// What sets `app.a`.
  enum Form: String, CaseIterable { case bare, transaction, action, callback, task }

  private(set) var lines: [String] = []
  private(set) var time: UInt64 = 0

  init() {
    add(#""kind":"set","path":"app","value":{"a":0,"b":0,"c":0,"trigger":0}"#)
    addProjection("Label", reading: ["app.a", "app.b"])
    addProjection("onChange(app.a)", reading: ["app.a"])
    addProjection("onChange(app.trigger)", reading: ["app.trigger"])
  }

  mutating func pass(_ milliseconds: UInt64) { time += milliseconds * 1_000_000 }

  /// Adds an event a tenth of a millisecond later, and returns its number.
  @discardableResult
  mutating func add(_ fields: String, cause: Int? = nil) -> Int {
    time += 100_000
    let cause = cause.map { #","cause":\#($0)"# } ?? ""
    lines.append(#"{"time_ns":\#(time),\#(fields)\#(cause)}"#)
    return lines.count
  }

  mutating func addProjection(_ name: String, reading paths: [String], at site: String? = nil) {
    add(#""kind":"projection","projection":"\#(name)""# + (site.map { #","site":"\#($0)""# } ?? ""))
    let reads = paths.map { #""\#($0)""# }.joined(separator: ",")
    add(#""kind":"reads","projection":"\#(name)","paths":[\#(reads)]"#)
    // A view has an output when it is made; a callback only sees the first value.
    let output = name.hasPrefix("on") ? "" : #","changed":true"#
    add(#""kind":"evaluate","projection":"\#(name)","duration_ns":1000\#(output)"#)
  }

  @discardableResult
  mutating func set(_ path: String, _ value: String, cause: Int? = nil, isSame: Bool = false) -> Int {
    let same = isSame ? #","same_value":true"# : ""
    return add(#""kind":"set","path":"\#(path)","value":\#(value)\#(same)"#, cause: cause)
  }

  mutating func run(_ name: String, cause: Int) {
    add(#""kind":"evaluate","projection":"\#(name)","duration_ns":20000,"changed":true"#, cause: cause)
  }

  mutating func action(_ label: String, cause: Int? = nil) -> Int {
    add(#""kind":"action","label":"\#(label)""#, cause: cause)
  }

  /// Sets a path, and returns the event that ends the change.
  mutating func begin(_ form: Form, _ value: String, at path: String = "app.a") -> Int {
    switch form {
    case .bare: return set(path, value)
    case .action: return set(path, value, cause: action("Tap"))
    case .task:
      let action = action("Tap")
      add(#""kind":"finish","outcome":"returned""#, cause: action)
      pass(5)
      return set(path, value, cause: action)
    case .transaction:
      add(#""kind":"begin","label":"tap""#)
      set(path, value)
      return add(#""kind":"end""#)
    case .callback:
      let trigger = set("app.trigger", value)
      let write = set(path, value, cause: trigger)
      run("onChange(app.trigger)", cause: trigger)
      return write
    }
  }

  /// One change that the view shows, and what the callback sets because of it, itself or in a task that waits.
  mutating func addRound(_ form: Form, _ value: Int, taskAfter delay: UInt64? = nil) {
    let change = begin(form, "\(value)")
    run("Label", cause: change)
    if let delay {
      run("onChange(app.a)", cause: change)
      pass(delay)
    }
    let effect = set("app.b", "\(2 * value)", cause: change)
    if delay == nil { run("onChange(app.a)", cause: change) }
    run("Label", cause: effect)
    pass(200)
  }

  func report(_ rules: [LintRule] = LintRule.allCases) throws -> LintReport {
    let workspace = try Workspace()
    let path = try workspace.log(lines.joined(separator: "\n"), "chain.evlog")
    return try LintReport(LogSource(path: path), rules, LintThresholds(), in: 0..<UInt64.max)
  }

  /// How many runs of a projection another one follows within a time, in milliseconds, for a write that follows from the same
  /// event of the app's own: by the lines alone.
  func replacedRuns(of view: String, within most: UInt64) throws -> Int {
    let workspace = try Workspace()
    let log = try LogSource(path: workspace.log(lines.joined(separator: "\n"), "count.evlog"))
    var events: [UInt64: Event] = [:]
    try log.reader.forEachEvent { events[$0.seq] = $0 }
    func isOwn(_ seq: UInt64) -> Bool {
      guard let cause = events[seq]?.cause else { return true }
      if case .action? = events[cause]?.body { return isOwn(cause) }
      return false
    }
    func origin(_ seq: UInt64) -> UInt64 {
      var seq = seq
      while !isOwn(seq), let cause = events[seq]?.cause { seq = cause }
      return seq
    }
    let runs = events.keys.sorted().compactMap { seq -> Event? in
      guard let event = events[seq], case .evaluate(view, _, _, _, _) = event.body else { return nil }
      return event
    }
    return zip(runs.dropFirst(), runs.dropFirst(2)).count { one, next in
      guard let first = one.cause, let second = next.cause, let write = events[second] else { return false }
      return first != second && !isOwn(second) && origin(first) == origin(second)
        && write.time <= one.time + most * 1_000_000
    }
  }
}
