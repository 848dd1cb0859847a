import EventLog

/// Converts the names of a run for a report. Long names are cut; if names are to be hidden, numbers stand in
/// for them.
struct ReportNames {
  private let standIns: StandIns?

  init(hasNames: Bool) { standIns = hasNames ? nil : StandIns() }

  /// Whether names are left out, together with everything that may contain one.
  var isHidden: Bool { standIns != nil }

  func projection(_ name: String) -> String { standIns?.projection(name) ?? name.cutForReport }
  func path(_ text: String) -> String { standIns?.path(text) ?? text.cutForReport }
  func pathGroup(_ text: String) -> String { standIns?.pathGroup(text) ?? text.cutForReport }
  func label(_ text: String) -> String { standIns?.label(text) ?? text.cutForReport }
  /// The title of a cascade's root, or of a write in it.
  func title(_ text: String) -> String { standIns?.title(text) ?? text.cutForReport }

  /// The file name of the log. The folders are left out, since they identify the machine and its user.
  func log(_ path: String) -> String { isHidden ? "run.evlog" : path.file.cutForReport }
  /// The file name of the program; empty if names are hidden.
  func program(_ text: String) -> String { isHidden ? "" : text.file.cutForReport }
}

extension String {
  /// The text, cut to at most `most` characters with an ellipsis. Cost: linear in what is kept.
  func cutForReport(_ most: Int) -> String {
    if utf8.count <= most { return self }
    let kept = unicodeScalars.prefix(most)
    return kept.endIndex == unicodeScalars.endIndex ? self : String(kept) + "…"
  }

  /// The text, cut to the length of a readable name.
  var cutForReport: String { cutForReport(400) }

  /// A site in the source. An absolute path loses its folders, which are those of the machine.
  var siteForReport: String { (hasPrefix("/") ? file : self).cutForReport }

  /// The part after the last slash.
  var file: String { split(separator: "/").last.map(String.init) ?? self }
}

/// Numbers that stand in for hidden names: the same for the same name, and independent of its text.
///
/// A class, since all parts of a report share one numbering.
private final class StandIns {
  private var groups: [ExactString: Int] = [:]
  private var members: [ExactString: Int] = [:]
  private var counts: [ExactString: Int] = [:]

  /// `projection 3`; for an instance, `projection 3#7`.
  func projection(_ name: String) -> String {
    standIn(for: name, in: name.projectionGroup, called: "projection")
  }

  /// `path 3`; for a path with an index, a key or an id, `path 3#7`.
  func path(_ text: String) -> String {
    standIn(for: text, in: (try? Path(parsing: text))?.group ?? text, called: "path")
  }

  /// The same for the text of a group of paths.
  func pathGroup(_ text: String) -> String { standIn(for: text, in: text, called: "path") }

  func label(_ text: String) -> String { standIn(for: text, in: text, called: "label") }

  /// The title of a cascade's root, or of a write in it: `set path 3`, or `write 5` if it is not a single
  /// write.
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

  /// How often this key was requested before.
  private func count(_ key: ExactString) -> Int {
    defer { counts[key, default: 0] += 1 }
    return counts[key, default: 0]
  }
}

// The extensions below replace the names in results. If names are hidden, they also remove what may contain
// others: sentences, sites in the source, commands.

extension LintReport {
  /// A sentence contains several names, so it may be longer than one.
  private static let messageMax = 1200

  mutating func replaceNames(_ names: ReportNames) {
    for index in findings.indices {
      findings[index].projection = findings[index].projection.map { names.projection($0) }
      findings[index].path = findings[index].path.map { names.pathGroup($0) }
      if names.isHidden {
        findings[index].message = findings[index].rule.summary
        findings[index].advice = findings[index].rule.advice
        findings[index].sites = LintReport.Sites()
        (findings[index].changes, findings[index].alternatives) = ([], [])
        findings[index].whatIf = ""
      } else {
        findings[index].message = findings[index].message.cutForReport(Self.messageMax)
        findings[index].advice = findings[index].advice.cutForReport(Self.messageMax)
        findings[index].sites.write = findings[index].sites.write?.siteForReport
        findings[index].sites.view = findings[index].sites.view?.siteForReport
        // A command that is cut does not work, so it is removed.
        if findings[index].whatIf.utf8.count > Self.messageMax {
          (findings[index].whatIf, findings[index].changes) = ("", [])
        }
        findings[index].alternatives.removeAll { $0.change.commandWords.utf8.count > Self.messageMax }
      }
    }
    account?.replaceNames(names, commandMax: Self.messageMax)
  }
}

extension RunAccount {
  fileprivate mutating func replaceNames(_ names: ReportNames, commandMax: Int) {
    func replaced(_ command: String) -> String {
      names.isHidden || command.utf8.count > commandMax ? "" : command
    }
    for index in lines.indices {
      lines[index].worst.projection = names.projection(lines[index].worst.projection)
      lines[index].command = replaced(lines[index].command)
      lines[index].why = replaced(lines[index].why)
    }
    for index in writeLines.indices { writeLines[index].command = replaced(writeLines[index].command) }
  }
}

extension FindingChanges {
  /// These findings without what is too long for a page.
  func cut(_ names: ReportNames) -> FindingChanges {
    var changes = self
    for list in [\FindingChanges.gone, \.new] {
      for index in changes[keyPath: list].indices {
        let line = changes[keyPath: list][index]
        changes[keyPath: list][index].subject = line.subject.map { names.projection($0) }
        changes[keyPath: list][index].path = line.path.map { names.pathGroup($0) }
        changes[keyPath: list][index].message = line.message.cutForReport
      }
    }
    return changes
  }
}

extension HotReport {
  mutating func replaceNames(_ names: ReportNames) {
    for index in projections.indices { projections[index].name = names.projection(projections[index].name) }
    for index in paths.indices { paths[index].path = names.pathGroup(paths[index].path) }
  }
}

extension CascadeReport {
  func replacingNames(_ names: ReportNames) -> CascadeReport {
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
  fileprivate mutating func replaceNames(_ names: ReportNames) {
    name = kind == .projection ? names.projection(name) : names.title(name)
    for index in children.indices { children[index].replaceNames(names) }
  }
}

extension WhyChain {
  mutating func replaceNames(_ names: ReportNames) {
    projection = names.projection(projection)
    for index in steps.indices { steps[index].replaceNames(names) }
    if names.isHidden { advice = nil }
  }
}

extension WhyStep {
  mutating func replaceNames(_ names: ReportNames) {
    projection = projection.map { names.projection($0) }
    parent = parent.map { names.projection($0) }
    writer = writer.map { names.projection($0) }
    path = path.map { names.path($0) }
    transaction = transaction.map { Nullable(wrappedValue: $0.wrappedValue.map { names.label($0) }) }
    reads = reads?.map { names.path($0) }
    newReads = newReads?.map { names.path($0) }
    droppedReads = droppedReads?.map { names.path($0) }
    replacedReads = replacedReads?.map { names.path($0) }
    for index in because?.indices ?? 0..<0 { because?[index].replaceNames(names) }
    for index in others?.indices ?? 0..<0 { others?[index].replaceNames(names) }
    if names.isHidden {
      (site, transactionSite, origin) = (nil, nil, nil)
      for kind in ["mark", "action"] where text?.hasPrefix(kind + " ") == true {
        text = kind == "mark" ? "a mark" : "an action"
      }
    } else {
      site = site?.siteForReport
      transactionSite = transactionSite?.siteForReport
      origin?.replaceNames()
      text = text?.cutForReport
    }
  }
}

extension WriteOrigin {
  /// Cuts the texts, and drops the stack, which contains folders of the machine; `why` shows it.
  fileprivate mutating func replaceNames() {
    thread = thread?.cutForReport
    task = task?.cutForReport
    function = function?.cutForReport
    site = site?.siteForReport
    stack = []
  }
}
