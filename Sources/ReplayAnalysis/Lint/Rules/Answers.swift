import EventLog

// What is wrong whatever it costs: answers that are too late, callbacks that set one place differently, actions without effect.

extension LintJudge {
  /// Answers to older questions that came after those to newer ones.
  func staleAnswers() -> [Finding] {
    tally.stale.found.map { group, found in
      let path = text(group)
      let answer = found.first
      let times =
        found.writes == 1 ? "" : ", as \(Units.count(found.writes - 1, "time")) more"
      let (this, over) = (
        "\(path)\(value(answer.seq)) at event \(answer.seq)", "\(value(answer.over)) at event \(answer.over)"
      )
      let message =
        if let older = action(answer.older), let newer = action(answer.newer) {
          "\(older) wrote \(this), after \(newer), which began later, had written it\(over)"
        } else {
          "The answer to \(question(answer.older)) was \(this), after that to \(question(answer.newer)), which came"
            + " later, had been\(over)"
        }
      return Finding(
        rule: .staleAnswer, projection: nil, path: path, message: "\(message); and that stayed\(times).",
        advice: LintRule.staleAnswer.advice, evidence: .init(found.evidence, writes: found.writes),
        changes: [])
    }
  }

  /// `"Search" (event 12, Feed.swift:31)`; nil for what is no action.
  func action(_ seq: UInt64) -> String? {
    guard let event = log.event(seq), case .action(let label) = event.body else { return nil }
    let site = event.site.map { ", \($0)" } ?? ""
    return "\(Value.string(label.cut(to: 60)).json) (event \(seq)\(site))"
  }

  /// `feed.query ("cats") of event 12`
  private func question(_ seq: UInt64) -> String {
    if let action = action(seq) { return action }
    guard let path = log.event(seq)?.body.writtenPath else { return "the transaction of event \(seq)" }
    return "\(path)\(value(seq)) of event \(seq)"
  }

  /// What an event wrote: ` ("cats")`, or ` (3 out, 9 in)`.
  private func value(_ seq: UInt64) -> String {
    switch log.event(seq)?.body {
    case .set(_, let value, _): return " (\(value.json.cut(to: 60)))"
    case .splice(_, _, let delete, .array(let elements), _):
      return " (\(delete.grouped) out, \(elements.count.grouped) in)"
    default: return ""
    }
  }

  /// Two callbacks that set one path to different values because of one action, but for those of which it is known that one is
  /// made again and again.
  func rivalWrites(beside callbacks: [Finding]) -> [Finding] {
    let known = Set(callbacks.compactMap(\.projection))
    return tally.rivals.found.compactMap { pair, found in
      let (path, first) = (text(pair.path), text(pair.first))
      let isOfOneName = pair.first == pair.second
      if found.times < Self.rivalsLeast || isOfOneName && known.contains(first) { return nil }
      let second = isOfOneName ? "another \(first)" : text(pair.second)
      let (one, other) = (found.values.0.json.cut(to: 60), found.values.1.json.cut(to: 60))
      let times = Units.count(found.times, "time")
      let values =
        found.isAlike
        ? "\(first) to \(one), and then \(second) to \(other), \(times)"
        : "\(first) and then \(second), \(times), at first to \(one) and to \(other)"
      return Finding(
        rule: .rivalWrites, projection: nil, path: path,
        message: "After \(root(found.root)) two callbacks set \(path): \(values).",
        advice: "Let one of them decide, or compute \(path) of what both follow, in a derived value.",
        evidence: .init(found.evidence, writes: found.times), changes: [], needless: found.needless)
    }
  }

  /// `"Cancel"`, or `a set of search.query`.
  private func root(_ seq: UInt64) -> String {
    switch log.event(seq)?.body {
    case .action(let label): Value.string(label.cut(to: 60)).json
    case .some(let body): body.writtenPath.map { "a set of \($0.group)" } ?? "a transaction"
    case nil: "a write"
    }
  }

  private static let rivalsLeast = 3

  /// Actions that changed nothing, each time.
  func idleActions(reading names: Set<ExactString>) -> [Finding] {
    // Where nothing is woken at all, nothing shows anything.
    if tally.pairs.pairs.isEmpty { return [] }
    return tally.idle.labels.sorted { $0.key.string < $1.key.string }.compactMap { label, found in
      guard found.actions >= max(1, thresholds.count), found.heard == 0 else { return nil }
      let paths = found.paths.sorted { ($1.value, text($0.key)) < ($0.value, text($1.key)) }.map(\.key)
      guard let first = paths.first else { return nil }
      let all =
        "\(found.actions.grouped) of \(found.actions.grouped) \(Value.string(label.string.cut(to: 60)).json)"
      let written = list(paths.prefix(3).map { text($0) })
      if found.unheard == 0, 2 * found.equal >= found.actions {
        let isOpaque = 2 * found.opaque >= found.actions
        let what = isOpaque ? ", an object that is not recorded" : ""
        return Finding(
          rule: .idleAction, projection: nil, path: text(first),
          message: "\(all) changed nothing: all that they set, \(written)\(what), was set to what it was.",
          advice: isOpaque
            ? "Make its class @Recorded: what changes within it, nothing sees."
            : "Nothing, if there was nothing to change.",
          evidence: .init(found.evidence, writes: found.actions), changes: [], isNote: !isOpaque)
      }
      guard found.unheard == found.actions, paths.allSatisfy({ isUnread(text($0), names) }) else {
        return nil
      }
      return Finding(
        rule: .idleAction, projection: nil, path: text(first),
        message: "\(all) changed \(written) and nothing else, which no projection reads.",
        advice: "Show it, or see what the action should have changed.",
        evidence: .init(found.evidence, writes: found.actions), changes: [], isNote: true)
    }
  }

  /// The names of all that projections read.
  func readNames() -> Set<ExactString> {
    Set(names: tally.reads.values.reduce(into: Set<GroupID<PathID>>()) { $0.formUnion($1) }.map { text($0) })
  }

  /// Whether neither a path nor a part of it or what it is a part of is read.
  func isUnread(_ name: String, _ names: Set<ExactString>) -> Bool {
    !names.contains { name == $0.string || name.isPart(of: $0.string) || $0.string.isPart(of: name) }
  }
}
