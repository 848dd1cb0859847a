import EventLog
import Invalidation

/// The projections of a run that live: whose child each is, and whether it waits to run. By the numbers of their names.
struct LivingProjections {
  struct Life {
    /// -1 where there is none.
    var parent: Int32 = -1
    /// What it has in common with other instances; see ``groups``. -1 where nothing was asked about it yet.
    var group: Int32 = -1
    /// Grows with each projection that is created; 0 for one that does not live.
    var birth = 0
    var childCount = 0
    var hasRun = false
    /// Whether something that it read has changed since it last ran.
    var isWoken = false

    var isAlive: Bool { birth > 0 }
  }

  private struct Child {
    var name: Int32
    var birth: Int
  }

  /// What projections are counted under, by number.
  private(set) var groups: [String] = []
  private var groupNumbers: [ExactString: Int32] = [:]
  private var lives = DenseMap<Int, Life>(default: Life())
  /// By the parent; some may be gone.
  private var children = DenseMap<Int, [Child]>(default: [])
  private var births = 0
  // The same of many at once.
  private(set) var alive = NameSet()
  private(set) var haveRun = NameSet()
  private(set) var woken = NameSet()
  /// Those that have children, or had.
  private(set) var parents = NameSet()
  /// Those that were there before one that they lie within.
  private(set) var early = NameSet()
  /// By word of these sets: the group of all in it; -1 while there is none, and -2 where there are several.
  private var wordGroups = DenseMap<Int, Int32>(default: -1)

  subscript(name: Int) -> Life {
    @inline(__always) get { lives[name] }
  }

  /// Those that lived before the first event have run.
  init(_ run: inout Run) {
    for event in run.log.base?.projections.asEvents() ?? [] {
      guard case .projection(let text, let parent, _) = event else { continue }
      let name = run.number(of: text)
      create(name, parent: parent.map { run.number(of: $0) }, group: text.projectionGroup)
      lives[name].hasRun = true
      haveRun.insert(name)
    }
  }

  /// Takes in a row that creates or ends a projection.
  mutating func take(_ change: EventKind.LifeChange, _ run: inout Run) {
    guard let name = run.name else { return }
    switch change {
    case .begins: create(name, parent: run.parent, group: run.tables.names[name].projectionGroup)
    case .ends: end(name)
    }
  }

  mutating func create(_ name: Int, parent: Int?, group: String) {
    if self[name].isAlive { end(name) }
    births += 1
    lives[name] = Life(parent: Int32(parent ?? -1), group: number(ofGroup: group), birth: births)
    alive.insert(name)
    haveRun.remove(name)
    early.remove(name)
    noteGroup(of: name)
    if parents.contains(name) {
      var children: [Int] = []
      forEachChild(of: name) { children.append($0) }
      for child in children { noteEarly(child) }
    }
    guard let parent, parent != name else { return }
    if !self[parent].isAlive || early.contains(parent) { noteEarly(name) }
    parents.insert(parent)
    if children[parent].count > 2 * lives[parent].childCount + 8 {
      let alive = children[parent].filter { lives[Int($0.name)].birth == $0.birth }
      children[parent] = alive
    }
    children[parent].append(Child(name: Int32(name), birth: births))
    lives[parent].childCount += 1
  }

  mutating func end(_ name: Int) {
    guard self[name].isAlive else { return }
    let parent = Int(lives[name].parent)
    if parent >= 0, parent != name { lives[parent].childCount -= 1 }
    lives[name].birth = 0
    lives[name].isWoken = false
    alive.remove(name)
    woken.remove(name)
  }

  private mutating func noteEarly(_ name: Int) {
    var rest = [name]
    while let name = rest.popLast() {
      if early.contains(name) { continue }
      early.insert(name)
      forEachChild(of: name) { rest.append($0) }
    }
  }

  /// The group of a projection, even of one that was never created.
  mutating func group(of name: Int, _ tables: borrowing RunTables) -> Int {
    if self[name].group < 0 {
      lives[name].group = number(ofGroup: tables.names[name].projectionGroup)
      noteGroup(of: name)
    }
    return Int(lives[name].group)
  }

  mutating func number(ofGroup group: String) -> Int32 {
    if let number = groupNumbers[group] { return number }
    groups.append(group)
    groupNumbers[group] = Int32(groups.count - 1)
    return Int32(groups.count - 1)
  }

  /// Notes that it was put out of date; false if it was already, or has not run yet.
  @inline(__always)
  mutating func wake(_ name: Int) -> Bool {
    guard self[name].hasRun, !lives[name].isWoken else { return false }
    lives[name].isWoken = true
    woken.insert(name)
    return true
  }

  /// Notes that it ran.
  @inline(__always)
  mutating func noteRun(_ name: Int) {
    lives[name].hasRun = true
    lives[name].isWoken = false
    haveRun.insert(name)
    woken.remove(name)
  }

  private mutating func noteGroup(of name: Int) {
    let known = wordGroups[name >> 6]
    wordGroups[name >> 6] = known == -1 || known == lives[name].group ? lives[name].group : -2
  }

  /// The group of all projections of a word of a set; nil where there are several.
  func onlyGroup(ofWord word: Int) -> Int32? {
    wordGroups[word] >= 0 ? wordGroups[word] : nil
  }

  func forEachChild(of name: Int, _ body: (Int) -> Void) {
    for child in children[name] where lives[Int(child.name)].birth == child.birth { body(Int(child.name)) }
  }
}
