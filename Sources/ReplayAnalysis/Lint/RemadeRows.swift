import EventLog

/// Finds children that come back under other names: all of a kind, which the account has as made anew; single ones whose name
/// has in it what was just set; and those of elements that were replaced by others of the same content.
struct RemadeRows {
  struct Edge: Hashable {
    var list: GroupID<ProjectionID>
    var rows: GroupID<ProjectionID>
  }

  struct Found {
    /// The runs of those that were made.
    var work = LintReport.Price.zero
    /// The first runs below them.
    var within = LintReport.Price.zero
    /// In how many flushes, and the most in one.
    var times = 0
    var most = 0
    /// The name of one that ended, and of the one that stands for it.
    var names = (before: "", after: "")
    /// The path of the set that is all that differs in the names, if there is one.
    var path: GroupID<PathID>?
    var evidence = Evidence()
    fileprivate var lastFlush: UInt64?
    fileprivate var present = 0
  }

  private struct Shown {
    var path: GroupID<PathID>
    var value: Value
  }

  /// A change to as many other elements, most of which differ from those before by their ids alone.
  private struct Renewal {
    var path: GroupID<PathID>
    var elements: Int
    var others: Int
  }

  /// Rows that were all made anew.
  private(set) var remade: [Edge: Found] = [:]
  /// Rows that were made one by one because of a set of what they show.
  private(set) var renamed: [Edge: Found] = [:]
  /// Rows of elements that are the same under other ids.
  private(set) var renewed: [Edge: Found] = [:]
  /// The last change of elements that no row has been made for.
  private var renewal: Renewal?
  /// The last few sets of texts and numbers.
  private var sets: [Shown] = []
  private var next = 0
  private static let setsMax = 8
  private static let renamedMax = 4

  /// Looks at a write, the current row of a run.
  @inline(__always)
  mutating func apply(_ run: borrowing LogRun, _ path: PathID, of group: GroupID<PathID>) {
    if run.row.isSameValue { return }
    if case .otherIDs(let others)? = run.contradiction { renew(run, group, others) }
    let value = run.row.kind == .set ? run.row.value : run.row.value.isText ? run.valueAfter(path) : nil
    guard let value, value.canBeInName else { return }
    let set = Shown(path: group, value: value)
    if sets.count < Self.setsMax { sets.append(set) } else { sets[next] = set }
    next = (next + 1) % Self.setsMax
  }

  private mutating func renew(_ run: borrowing LogRun, _ group: GroupID<PathID>, _ others: Int) {
    guard case .array(let elements) = run.row.value, !run.row.value.holdsRedacted,
      2 * others >= elements.count
    else { return }
    renewal = Renewal(path: group, elements: elements.count, others: others)
  }

  /// Counts what was made in the flush that is over.
  mutating func settle(_ account: borrowing AccountTally, in seqs: Range<UInt64>, _ run: inout LogRun) {
    for (made, line) in account.settled where line == .madeAnew && seqs.contains(made.seq) {
      guard let list = made.parent, let before = made.replaced else { continue }
      let edge = Edge(list: run.group(of: list), rows: made.group)
      add(made, to: &remade[edge, default: Found()], in: account.flushNumber)
      if remade[edge]?.work.runs == 1 {
        let names = (before: run.tables.name(before), after: run.tables.name(made.projection))
        remade[edge]?.names = names
        remade[edge]?.path = sets.first { names.after.isName(names.before, with: $0.value) }?.path
      }
    }
    count(renamed(in: account, &run), account, in: seqs)
    if let renewal { count(renewal, account, in: seqs, &run) }
  }

  /// Counts children that were made for elements of the same content as those for which as many others ended.
  private mutating func count(
    _ renewal: Renewal, _ account: borrowing AccountTally, in seqs: Range<UInt64>, _ run: inout LogRun
  ) {
    for exchange in account.exchanges
    where exchange.made.count > 1 && exchange.made.count <= renewal.elements {
      self.renewal = nil
      let edge = Edge(list: run.group(of: exchange.kind.parent), rows: exchange.kind.group)
      let made = Set(exchange.made)
      let firsts = account.settled.filter { made.contains($0.run.projection) && $0.run.isFirst }.map(\.run)
      let others = firsts.prefix(firsts.count * renewal.others / renewal.elements)
      for first in others where seqs.contains(first.seq) {
        add(first, to: &renewed[edge, default: Found()], in: account.flushNumber)
      }
      renewed[edge]?.path = renewal.path
    }
  }

  /// A child that ended and came back under a name with what was set in it.
  private struct Renamed {
    var edge: Edge
    var names: (before: String, after: String)
    var path: GroupID<PathID>
  }

  private func renamed(in account: borrowing AccountTally, _ run: inout LogRun) -> [ProjectionID: Renamed] {
    let exchanges = account.exchanges.filter { !$0.isWhole && $0.made.count <= Self.renamedMax }
    if exchanges.isEmpty { return [:] }
    let sets = sets.filter { run.text($0.path).isOfElement }
    var found: [ProjectionID: Renamed] = [:]
    for exchange in exchanges {
      let edge = Edge(list: run.group(of: exchange.kind.parent), rows: exchange.kind.group)
      for made in exchange.made {
        let after = run.tables.name(made)
        for ended in exchange.ended {
          let before = run.tables.name(ended)
          guard let set = sets.first(where: { after.isName(before, with: $0.value) }) else { continue }
          found[made] = Renamed(edge: edge, names: (before, after), path: set.path)
          break
        }
      }
    }
    return found
  }

  /// Counts renamed children and what was made within them.
  private mutating func count(
    _ made: [ProjectionID: Renamed], _ account: borrowing AccountTally, in seqs: Range<UInt64>
  ) {
    if made.isEmpty { return }
    let firsts = account.settled.lazy.map(\.run).filter { $0.isFirst && seqs.contains($0.seq) }
    for first in firsts {
      guard let child = made[first.projection] else { continue }
      add(first, to: &renamed[child.edge, default: Found()], in: account.flushNumber)
      if renamed[child.edge]?.path == nil {
        renamed[child.edge]?.names = child.names
        renamed[child.edge]?.path = child.path
      }
    }
    var edges = made.mapValues(\.edge)
    // A parent's run ends after those of its children, and so stands behind them.
    for first in firsts.reversed() where edges[first.projection] == nil {
      guard let edge = first.parent.flatMap({ edges[$0] }) else { continue }
      edges[first.projection] = edge
      renamed[edge]?.within.runs += 1
      renamed[edge]?.within.time += first.duration
    }
  }

  private func add(_ made: AccountedRun, to found: inout Found, in flush: UInt64) {
    found.work.runs += 1
    found.work.time += made.duration
    if found.lastFlush != flush {
      found.times += 1
      found.present = 0
      found.evidence.append(made.seq)
    }
    found.lastFlush = flush
    found.present += 1
    found.most = max(found.most, found.present)
  }
}

extension Value {
  fileprivate var isText: Bool { if case .string = self { true } else { false } }

  fileprivate var canBeInName: Bool {
    switch self {
    case .string(let text): !text.isEmpty
    case .int, .uint: true
    default: false
    }
  }

  /// What a name has of the value.
  fileprivate var nameText: String {
    switch self {
    case .string(let text): text
    case .int(let number): "\(number)"
    case .uint(let number): "\(number)"
    default: ""
    }
  }
}

extension String {
  /// Whether a path leads to a part of an element, but not to its id.
  fileprivate var isOfElement: Bool { contains("[*].") && !hasSuffix(".id") }

  /// Whether this name is another, but for a value that is in it as a whole.
  ///
  /// Cost: linear in the names, and in the value for each place where it may begin.
  fileprivate func isName(_ other: String, with value: Value) -> Bool {
    let (name, other, value) = (Array(utf8), Array(other.utf8), Array(value.nameText.utf8))
    guard name != other, name.count >= value.count, other.count >= name.count - value.count else {
      return false
    }
    let start = zip(name, other).prefix { $0 == $1 }.count
    let end = zip(name.reversed(), other.reversed()).prefix { $0 == $1 }.count
    // What is before and after the value is so in the other name too.
    let first = max(0, name.count - value.count - end)
    let last = min(start, name.count - value.count)
    guard first <= last else { return false }
    return (first...last).contains { first in
      let rest = name[(first + value.count)...]
      // A number is not a part of another.
      return name[first...].starts(with: value)
        && !(name[..<first].last?.isDigit == true && value.first?.isDigit == true)
        && !(rest.first?.isDigit == true && value.last?.isDigit == true)
    }
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
}
