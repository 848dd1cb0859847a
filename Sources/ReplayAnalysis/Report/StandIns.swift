import EventLog

/// What stands in a report for names that nobody is to see: the same for the same name, and a number that tells nothing of it.
///
/// It is a class, since all parts of a report give and take from one.
final class StandIns {
  private var groups: [ExactString: Int] = [:]
  private var members: [ExactString: Int] = [:]
  private var counts: [ExactString: Int] = [:]

  /// `projection 3`, and of an instance `projection 3#7`.
  func projection(_ name: String) -> String {
    standIn(for: name, in: name.projectionGroup, called: "projection")
  }

  /// `path 3`, and of one with an index, a key or an id `path 3#7`.
  func path(_ text: String) -> String {
    standIn(for: text, in: (try? Path(parsing: text))?.group ?? text, called: "path")
  }

  /// The same of what many paths have in common.
  func pathGroup(_ text: String) -> String { standIn(for: text, in: text, called: "path") }

  func label(_ text: String) -> String { standIn(for: text, in: text, called: "label") }

  /// What a cascade began with, or a write in it: `set path 3`, or `write 5` where it is no single write.
  func title(_ text: String) -> String {
    let (kind, path) = text.firstWord
    guard ["set", "splice", "remove"].contains(kind), !path.isEmpty else {
      return standIn(for: text, in: text, called: "write")
    }
    return "\(kind) \(pathGroup(path))"
  }

  private func standIn(for name: String, in group: String, called word: String) -> String {
    let key = ExactString("\(word) \(group)")
    let number = groups[key] ?? count(ExactString(word)) + 1
    groups[key] = number
    if name.hasSameBytes(as: group) { return "\(word) \(number)" }
    let whole = ExactString("\(word) \(name)")
    if let known = members[whole] { return "\(word) \(number)#\(known)" }
    let member = count(key)
    members[whole] = member
    return "\(word) \(number)#\(member)"
  }

  /// How often it was asked for before.
  private func count(_ key: ExactString) -> Int {
    defer { counts[key, default: 0] += 1 }
    return counts[key, default: 0]
  }
}

// What has names of a run gets stand-ins for all of them, and loses what may have others in it: sentences, places in the
// source, commands.

extension LintReport {
  mutating func replaceNames(_ names: StandIns) {
    for index in findings.indices {
      findings[index].projection = findings[index].projection.map { names.projection($0) }
      findings[index].path = findings[index].path.map { names.pathGroup($0) }
      findings[index].message = findings[index].rule.summary
      findings[index].site = nil
      findings[index].whatIf = ""
    }
  }
}

extension HotReport {
  mutating func replaceNames(_ names: StandIns) {
    for index in projections.indices { projections[index].name = names.projection(projections[index].name) }
    for index in paths.indices { paths[index].path = names.pathGroup(paths[index].path) }
  }
}

extension CascadeReport {
  func replacingNames(_ names: StandIns) -> CascadeReport {
    CascadeReport(
      lines: lines.map { line in
        var line = line
        line.root = names.title(line.root)
        for index in line.tree.indices { line.tree[index].replaceNames(names) }
        return line
      }, forgotten: forgotten)
  }
}

extension CascadeTree {
  fileprivate mutating func replaceNames(_ names: StandIns) {
    name = kind == .projection ? names.projection(name) : names.title(name)
    for index in children.indices { children[index].replaceNames(names) }
  }
}

extension WhyChain {
  mutating func replaceNames(_ names: StandIns) {
    projection = names.projection(projection)
    for index in steps.indices { steps[index].replaceNames(names) }
    advice = nil
  }
}

extension WhyStep {
  fileprivate mutating func replaceNames(_ names: StandIns) {
    projection = projection.map { names.projection($0) }
    parent = parent.map { names.projection($0) }
    path = path.map { names.path($0) }
    (site, origin) = (nil, nil)
    transaction = transaction.map { Nullable(wrappedValue: $0.wrappedValue.map { names.label($0) }) }
    reads = reads?.map { names.path($0) }
    newReads = newReads?.map { names.path($0) }
    droppedReads = droppedReads?.map { names.path($0) }
    if text?.hasPrefix("mark ") == true { text = "a mark" }
    for index in because?.indices ?? 0..<0 { because?[index].replaceNames(names) }
  }
}
