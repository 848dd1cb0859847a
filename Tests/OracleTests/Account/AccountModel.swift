import EventLog
import Invalidation
@testable import ReplayAnalysis

/// The line of each run and each write of a log, by the sentences of `AccountLine` and `WriteLine` read one by one: from the
/// events alone, with a search through all of them for each question.
struct AccountModel {
  /// What put a projection out of date.
  private struct Invalidation {
    var seq: UInt64
    var projection: String
    var unit: UInt64
    var causes: [UInt64]
    var isEqual: Bool
    var isContent: Bool
    /// The first event of the chain of causes, and how many steps from it.
    var root: UInt64
    var depth: Int
  }

  private struct Life {
    var name: String
    var begins: UInt64
    var ends: UInt64?
    /// The parents, each from an event on.
    var parents: [(seq: UInt64, name: String?)]

    func parent(at seq: UInt64) -> String? { parents.last { $0.seq <= seq }?.name }
    func isAlive(at seq: UInt64) -> Bool { begins <= seq && ends.map { seq < $0 } ?? true }
  }

  private struct Run {
    var event: Event
    var name: String
    var changed: Bool?
    var inputChanged: Bool?
    var life: Int?
  }

  private enum Change { case made, ended, hadOtherInput }

  private struct Below {
    var seq: UInt64
    var parent: String
    var child: String
    var life: Int
    var change: Change
  }

  private let events: [Event]
  private var flushes: [Int] = []
  private var lives: [Life] = []
  private var runs: [Run] = []
  private var below: [Below] = []
  /// The run to which each change below belongs.
  private var owners: [Int?] = []
  private var invalidations: [Invalidation] = []
  /// Writes that counted as changes, and are recorded as equal or as another object of the same content.
  private var equal: Set<UInt64> = []
  private var content: Set<UInt64> = []

  /// - Parameter events: All of a log, from the first on.
  init(_ events: [Event]) throws {
    self.events = events
    findFlushes()
    findLives()
    findRuns()
    findBelow()
    owners = below.map { owner(of: $0) }
    try findInvalidations()
  }

  /// The line of each run, by its seq.
  func lines() -> [UInt64: AccountLine] {
    var lines: [UInt64: AccountLine] = [:]
    for index in runs.indices { lines[runs[index].event.seq] = line(of: index) }
    return lines
  }

  /// The kind of each run, by its seq.
  func kinds() -> [UInt64: RunKind] {
    var kinds: [UInt64: RunKind] = [:]
    for index in runs.indices {
      kinds[runs[index].event.seq] =
        isDerived(index)
        ? .derived : runs[index].name.isCallbackName ? .callback : isFirst(index) ? .first : .again
    }
    return kinds
  }

  /// The line of each write, by its seq.
  ///
  /// - Parameter lines: Those of the runs.
  func writeLines(_ lines: [UInt64: AccountLine]) -> [UInt64: WriteLine] {
    var found: [UInt64: WriteLine] = [:]
    for event in events where event.body.writtenPath != nil { found[event.seq] = line(of: event, lines) }
    return found
  }

  private func event(_ seq: UInt64) -> Event { events[Int(seq) - 1] }

  private func flush(of seq: UInt64) -> Int { flushes[Int(seq) - 1] }

  /// An event's cause; for a recorded invalidation that of the invalidation.
  private func unit(of event: Event) -> UInt64 {
    guard let cause = event.cause else { return 0 }
    if case .invalidate = self.event(cause).body, let above = self.event(cause).cause { return above }
    return cause
  }
}

// MARK: What is in the log

extension AccountModel {
  private mutating func findFlushes() {
    var transactions = OpenTransactions()
    var (flush, start) = (0, UInt64(0))
    var hasRun = false
    var actions: Set<UInt64> = []
    for event in events {
      let strand = event.origin?.strand ?? 0
      let isOwn = event.cause.map { $0 < start || actions.contains($0) } ?? true
      if hasRun, event.body.kind.beginsAnew, transactions.depth(around: strand) == 0, isOwn {
        (flush, start, hasRun, actions) = (flush + 1, 0, false, [])
      }
      flushes.append(flush)
      if start == 0 { start = event.seq }
      transactions.apply(event.body.kind, on: strand)
      if case .action = event.body { actions.insert(event.seq) }
      if case .evaluate = event.body { hasRun = true }
    }
  }

  private mutating func findLives() {
    for event in events {
      switch event.body {
      case .projection(let name, let parent, _):
        if isMove(event, of: name), let last = lives.lastIndex(where: { $0.name == name }) {
          lives[last].ends = nil
          lives[last].parents.append((event.seq, parent))
        } else {
          lives.append(Life(name: name, begins: event.seq, parents: [(event.seq, parent)]))
        }
      case .dispose(let name):
        if let last = lives.lastIndex(where: { $0.name == name }) { lives[last].ends = event.seq }
      default: break
      }
    }
  }

  private func isMove(_ event: Event, of name: String) -> Bool {
    guard let cause = event.cause, cause == event.seq - 1, case .dispose(let ended) = self.event(cause).body
    else { return false }
    return ended == name
  }

  private func life(of name: String, at seq: UInt64) -> Int? {
    lives.lastIndex { $0.name == name && $0.isAlive(at: seq) }
  }

  private mutating func findRuns() {
    for event in events {
      guard case .evaluate(let name, _, let changed, let inputChanged, _) = event.body else { continue }
      runs.append(
        Run(
          event: event, name: name, changed: changed, inputChanged: inputChanged,
          life: life(of: name, at: event.seq)))
    }
  }

  private mutating func findBelow() {
    for event in events {
      let change: Change
      switch event.body {
      case .projection: change = .made
      case .dispose: change = .ended
      case .evaluate(_, _, _, true, _): change = .hadOtherInput
      default: continue
      }
      guard let child = event.body.projectionName,
        let life = lives.lastIndex(where: { $0.name == child && $0.begins <= event.seq }),
        // A projection that ends lived until then.
        change == .ended || lives[life].isAlive(at: event.seq),
        let parent = lives[life].parent(at: event.seq)
      else { continue }
      below.append(Below(seq: event.seq, parent: parent, child: child, life: life, change: change))
    }
  }

  private mutating func findInvalidations() throws {
    var timeline = Timeline()
    var state = State()
    for event in events {
      let lines = try timeline.apply(event)
      try findEqual(event, &state)
      for line in lines {
        let kinds = line.causes.map { (isEqual: equal.contains($0), isContent: content.contains($0)) }
        invalidations.append(
          Invalidation(
            seq: event.seq, projection: line.projection, unit: unit(of: line, event), causes: line.causes,
            isEqual: !kinds.isEmpty && kinds.allSatisfy(\.isEqual),
            isContent: !kinds.isEmpty && kinds.allSatisfy { $0.isEqual || $0.isContent },
            root: line.cascade, depth: line.depth))
      }
    }
  }

  /// What a run after an invalidation names as its cause: at the end of what a session collected the last write, if that has a
  /// cause.
  private func unit(of line: TimelineLine, _ event: Event) -> UInt64 {
    guard event.origin?.strand == OpenTransactions.session, let last = line.causes.last, last < event.seq,
      self.event(last).cause != nil
    else { return event.seq }
    return last
  }

  private mutating func findEqual(_ event: Event, _ state: inout State) throws {
    let effect = try state.apply(event.body)
    guard !event.body.isSameValue, case .replaced(_, let before, let after) = effect else { return }
    if before == after {
      if !(after?.holdsRedacted ?? false) { equal.insert(event.seq) }
    } else if case .reference(let old)? = before, case .reference(let new)? = after,
      let a = state.objects[old], let b = state.objects[new], a.fields == b.fields,
      !b.fields.values.contains(where: \.holdsRedacted)
    {
      content.insert(event.seq)
    }
  }
}

// MARK: What is said of a run

extension AccountModel {
  private func line(of run: Int) -> AccountLine {
    let line = lineOfItself(run)
    return line != .needed && line != .unknown || !isReplaced(run) ? line : .replaced
  }

  /// The line without what came after it.
  private func lineOfItself(_ run: Int) -> AccountLine {
    let (isIdle, isSameInput) = (isIdle(run), runs[run].inputChanged != true)
    let answered = answered(by: run)
    if isIdle, isSameInput, !answered.isEmpty {
      if answered.allSatisfy(\.isEqual) { return .equalValue }
      if answered.allSatisfy(\.isContent) { return .sameContent }
    }
    let isEqualDerived = runs[run].changed == false && isDerived(run)
    if isIdle, runs[run].changed == false, !isEqualDerived { return .drewSame }
    if isMadeAnew(run) { return .madeAnew }
    if isRepeated(run) { return .repeated }
    if isIdle, isLooping(run) { return .loop }
    return isIdle && !isEqualDerived ? .unknown : .needed
  }

  private func isIdle(_ run: Int) -> Bool {
    if isFirst(run) || runs[run].changed == true { return false }
    return !owners.contains(run)
  }

  private func isFirst(_ run: Int) -> Bool { runs[run].life != nil && previous(run) == nil }

  private func isDerived(_ run: Int) -> Bool {
    events.contains { event in
      guard event.seq < runs[run].event.seq, let path = event.body.writtenPath,
        case .named("derived") = path.root, path.components.count == 1
      else { return false }
      return path.components[0].name == runs[run].name
    }
  }

  /// The run before in the same life.
  private func previous(_ run: Int) -> Int? {
    runs[..<run].lastIndex { $0.life == runs[run].life && $0.name == runs[run].name }
  }

  // MARK: Below a run

  private func owner(of change: Below) -> Int? {
    let flush = self.flush(of: change.seq)
    let ofParent = runs.indices.filter {
      runs[$0].name == change.parent && self.flush(of: runs[$0].event.seq) == flush
    }
    let last = ofParent.last { runs[$0].event.seq <= change.seq }
    let next = ofParent.first { runs[$0].event.seq > change.seq }
    guard let last, let next else { return last ?? next }
    if change.change == .ended { return last }
    let cause = unit(of: event(change.seq))
    let isOfLast = unit(of: runs[last].event) == cause && unit(of: runs[next].event) != cause
    return isOfLast ? last : next
  }

  private func isMadeAnew(_ run: Int) -> Bool {
    guard isFirst(run), let life = runs[run].life, let birth = birth(of: run), let owner = owner(of: birth)
    else { return false }
    let kind = birth.child.projectionGroup
    let exchanged = zip(below, owners).filter {
      $0.parent == birth.parent && $0.child.projectionGroup == kind && $1 == owner
    }.map(\.0)
    let made = exchanged.filter { $0.change == .made }
    let ended = exchanged.filter { $0.change == .ended }
    guard made.count == ended.count, living(kind, below: birth.parent, after: owner) == made.count else {
      return false
    }
    let reads = firstReads(of: life, before: runs[run].event.seq)
    if made.count == 1, reads.isEmpty { return false }
    let alike = ended.count { firstReads(of: $0.life, before: $0.seq) == reads }
    let before = runs.indices.count { other in
      guard other < run, isFirst(other), let life = runs[other].life, let birth = self.birth(of: other)
      else { return false }
      return made.contains { $0.seq == birth.seq }
        && flush(of: runs[other].event.seq) == flush(of: birth.seq)
        && firstReads(of: life, before: runs[other].event.seq) == reads
    }
    return before < alike
  }

  /// How the projection of a run was made, in the same flush.
  private func birth(of run: Int) -> Below? {
    let seq = runs[run].event.seq
    guard let birth = runs[run].life.flatMap({ lives[$0].parents.last { $0.seq < seq } }),
      flush(of: birth.seq) == flush(of: seq)
    else { return nil }
    return below.first { $0.seq == birth.seq }
  }

  /// How many children of a kind live at the end of a run's flush.
  private func living(_ kind: String, below parent: String, after run: Int) -> Int {
    let flush = self.flush(of: runs[run].event.seq)
    let last = UInt64((flushes.lastIndex(of: flush) ?? 0) + 1)
    return lives.count {
      $0.name.projectionGroup == kind && $0.isAlive(at: last) && $0.parent(at: last) == parent
    }
  }

  /// What a projection began by reading, and how often it is named.
  private func firstReads(of life: Int, before seq: UInt64) -> [Path: Int] {
    for event in events[Int(lives[life].begins)..<Int(seq)] {
      guard case .reads(lives[life].name, let reads) = event.body else { continue }
      let paths =
        switch reads {
        case .paths(let paths): paths
        case .change(let added, _): added
        }
      if !paths.isEmpty { return paths.reduce(into: [:]) { $0[$1, default: 0] += 1 } }
    }
    return [:]
  }

  // MARK: What a run answers

  /// The invalidations since the run before, if the last of them is the run's cause.
  private func answered(by run: Int) -> [Invalidation] {
    let since = max(
      previous(run).map { runs[$0].event.seq } ?? 0, runs[run].life.map { lives[$0].begins } ?? 0)
    let found = invalidations.filter {
      $0.projection == runs[run].name && $0.seq > since && $0.seq <= runs[run].event.seq
    }
    return found.last?.unit == unit(of: runs[run].event) ? found : []
  }

  /// The write of an action that a run answers last of all.
  private func write(of run: Int) -> (event: Event, path: Path, action: UInt64, root: UInt64, depth: Int)? {
    guard let last = answered(by: run).last, last.unit == last.seq else { return nil }
    let event = self.event(last.seq)
    guard let path = event.body.writtenPath, let action = action(of: last.seq) else { return nil }
    return (event, path, action, last.root, last.depth)
  }

  private func action(of seq: UInt64) -> UInt64? {
    var next: UInt64? = seq
    while let seq = next {
      if case .action = event(seq).body { return seq }
      next = event(seq).cause
    }
    return nil
  }

  private func isRepeated(_ run: Int) -> Bool {
    guard let previous = previous(run), let a = write(of: previous), let b = write(of: run) else {
      return false
    }
    return a.path == b.path && a.action == b.action && isSoon(b.event.time, after: a.event.time)
  }

  private func isLooping(_ run: Int) -> Bool {
    guard let write = write(of: run), follows(run), let previous = previous(run), follows(previous) else {
      return false
    }
    let end = events.first { event in
      guard case .finish = event.body else { return false }
      return event.cause == write.action
    }
    guard let end, end.seq < write.event.seq else { return false }
    return write.event.time >= end.time && write.event.time - end.time >= 1_000_000_000
  }

  /// Whether a run answers a write that is further along than what the run before answered.
  private func follows(_ run: Int) -> Bool {
    guard let previous = previous(run), let a = write(of: previous), let b = write(of: run) else {
      return false
    }
    return a.path == b.path && a.root == b.root && b.depth > a.depth
  }

  // MARK: What came after a run

  private func isReplaced(_ run: Int) -> Bool {
    guard let life = runs[run].life, !isDerived(run), !runs[run].name.isCallbackName else { return false }
    let (time, seq) = (runs[run].event.time, runs[run].event.seq)
    if let next = runs.indices.first(where: { $0 > run && runs[$0].life == life }) {
      let other = runs[next].event.seq
      let isTogether =
        flush(of: other) == flush(of: seq)
        || action(of: seq) != nil && action(of: other) == action(of: seq)
      return isTogether && isSoon(runs[next].event.time, after: time)
        && [.needed, .unknown].contains(lineOfItself(next))
    }
    guard let end = lives[life].ends, isSoon(event(end).time, after: time), flush(of: end) == flush(of: seq),
      let change = below.firstIndex(where: { $0.seq == end }), let owner = owners[change]
    else { return false }
    let between = runs.indices.filter {
      $0 > run && $0 < owner && runs[$0].name == runs[owner].name
        && flush(of: runs[$0].event.seq) == flush(of: seq)
    }
    return runs[owner].event.seq < end && !between.isEmpty
  }

  private func isSoon(_ time: UInt64, after other: UInt64) -> Bool {
    time >= other && time - other <= 4_000_000
  }
}

// MARK: What is said of a write

extension AccountModel {
  private func line(of write: Event, _ lines: [UInt64: AccountLine]) -> WriteLine {
    let found = invalidations.filter { $0.causes.contains(write.seq) }
    let end = overwritten(write)
    let counted: [AccountLine] = found.compactMap { invalidation in
      guard let (seq, line) = outcome(of: invalidation, lines) else { return end == nil ? .unknown : nil }
      return end.map { seq < $0 } ?? true ? line : nil
    }
    if counted.contains(.needed) { return .needed }
    if write.body.isSameValue, found.isEmpty { return .sameValue }
    if equal.contains(write.seq) { return .equalValue }
    if content.contains(write.seq) { return .sameContent }
    if found.isEmpty { return .unread }
    if counted.contains(.unknown) { return .unknown }
    return counted.isEmpty ? .overwritten : .idle
  }

  /// Whether a write changes what is there.
  private func changes(_ write: Event) -> Bool {
    !write.body.isSameValue && !equal.contains(write.seq) && !content.contains(write.seq)
  }

  /// The event that overwrote a write.
  private func overwritten(_ write: Event) -> UInt64? {
    guard changes(write), let path = write.body.writtenPath else { return nil }
    let next = events.first { $0.seq > write.seq && $0.body.writtenPath == path && changes($0) }
    guard let next, next.body.kind != .splice else { return nil }
    return next.seq
  }

  /// The next run of the projection that was invalidated, with its line; `unknown` if it does not answer that, or if the
  /// projection ended before. Nil if nothing came of it.
  private func outcome(
    of invalidation: Invalidation, _ lines: [UInt64: AccountLine]
  ) -> (seq: UInt64, line: AccountLine)? {
    let name = invalidation.projection
    let next = events.first { event in
      guard event.seq > invalidation.seq, event.body.projectionName == name else { return false }
      switch event.body {
      case .evaluate: return true
      case .dispose:
        guard event.seq < events.count, case .projection(name, _, _) = self.event(event.seq + 1).body else {
          return true
        }
        return !isMove(self.event(event.seq + 1), of: name)
      default: return false
      }
    }
    guard let next else { return nil }
    guard let run = runs.firstIndex(where: { $0.event.seq == next.seq }) else { return (next.seq, .unknown) }
    return (next.seq, answered(by: run).isEmpty ? .unknown : lines[next.seq] ?? .unknown)
  }
}
