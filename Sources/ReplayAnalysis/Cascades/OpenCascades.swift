import EventLog
import Invalidation

/// The cascades that events may join yet: some ten thousand at a time, in a long run.
///
/// Most are plain: a root that woke some, of which some ran. These are a few numbers in shared buffers, so that they
/// stay in a cache until they are complete. One that another event joins becomes a ``Cascade`` of its own.
struct OpenCascades {
  struct Slot {
    var root: UInt64
    /// The last event that joined it.
    var joined: UInt64
    /// What it became when it was not plain any more.
    var full: Cascade?
    /// The kind and the title of the root; the title is -1 where they are not known.
    var kind = EventKind.end
    var title: Int32 = -1
    var hits = LinkedItems<Hit>.List()
    /// How many of the hits were recorded, in their order, and the next that may be.
    var recorded: Int32 = 0
    var unrecorded: Int32 = -1
    var evaluations = LinkedItems<Cascade.Evaluation>.List()
    /// Whether one that ran has a parent.
    var hasParents = false
  }

  struct Hit {
    var projection: Int32
    var causes: Causes
  }

  private(set) var slots: [Slot] = []
  private var unused: [Int] = []
  private(set) var hits = LinkedItems<Hit>()
  private(set) var evaluations = LinkedItems<Cascade.Evaluation>()
  /// Memory of cascades that are complete.
  private var spare: [Cascade] = []
  /// Where plain ones are put together when they are complete.
  private let scratch = Cascade()
  /// By the number of the name; -1 where there is none.
  private var parents = DenseMap<Int, Int32>(default: -1)
  /// Plain ones in which one that ran has a parent; some may be gone.
  private var parented: [Int] = []

  /// Those that are open, in the order in which they were opened.
  private var order: [(root: UInt64, place: Int)] = []
  private var places = RootPlaces()

  // MARK: Finding one

  /// The cascade with a root, new if need be.
  mutating func place(of root: UInt64, joinedAt seq: UInt64) -> Int {
    if let place = places[root] {
      slots[place].joined = seq
      return place
    }
    let place = unused.popLast() ?? slots.count
    if place == slots.count {
      slots.append(Slot(root: root, joined: seq))
    } else {
      slots[place] = Slot(root: root, joined: seq)
    }
    order.append((root, place))
    places.insert(place, of: root)
    return place
  }

  /// Those that nothing joined since an event, by their roots in order; they are open no more.
  mutating func takeJoined(before seq: UInt64) -> [Int] {
    var taken = order.filter { slots[$0.place].joined < seq }
    if taken.isEmpty { return [] }
    order.removeAll { slots[$0.place].joined < seq }
    for (root, place) in taken { places.remove(place, of: root) }
    let isSorted = zip(taken, taken.dropFirst()).allSatisfy { $0.root < $1.root }
    if !isSorted { taken.sort { $0.root < $1.root } }
    return taken.map(\.place)
  }

  /// A cascade as it is now; it holds until the next one is asked for.
  mutating func cascade(_ place: Int) -> Cascade {
    if let full = slots[place].full { return full }
    fill(scratch, from: place)
    return scratch
  }

  /// Says that what was taken is needed no more.
  mutating func free(_ place: Int) {
    if let full = slots[place].full {
      spare.append(full)
      slots[place].full = nil
    } else {
      forgetItems(place)
    }
    unused.append(place)
  }

  // MARK: What joins one

  func root(_ place: Int) -> UInt64 { slots[place].root }

  func hasUnit(_ unit: UInt64, in place: Int) -> Bool {
    if let full = slots[place].full { return full.hasUnit(unit) }
    return slots[place].title >= 0 && slots[place].root == unit
  }

  /// Adds a unit that is not there yet.
  mutating func add(_ unit: Cascade.Unit, _ transaction: Transaction?, to place: Int) {
    if isPlain(place), unit.seq == slots[place].root, unit.cause == 0, transaction == nil {
      slots[place].kind = unit.kind
      slots[place].title = unit.title
    } else {
      full(place).add(unit, transaction)
    }
  }

  mutating func addInvalidation(_ woken: Cascade.Woken, to place: Int) {
    guard isPlain(place), isOfRoot(woken.seq, place), woken.depth == 0 else {
      return full(place).addInvalidation(woken)
    }
    let isFirst = slots[place].hits.isEmpty
    hits.append(Hit(projection: woken.projection, causes: woken.causes), to: &slots[place].hits)
    if isFirst { slots[place].unrecorded = slots[place].hits.first }
  }

  mutating func addRecorded(_ woken: Cascade.Woken, to place: Int) {
    let next = slots[place].unrecorded
    guard isPlain(place), isOfRoot(woken.seq, place), next >= 0,
      hits[next].projection == woken.projection, hits[next].causes == woken.causes
    else { return full(place).addRecorded(woken) }
    slots[place].recorded += 1
    slots[place].unrecorded = hits.next(next)
  }

  mutating func add(_ evaluation: Cascade.Evaluation, to place: Int) {
    guard isPlain(place), isOfRoot(evaluation.cause, place) else {
      return full(place).add(evaluation, ancestors: parents)
    }
    evaluations.append(evaluation, to: &slots[place].evaluations)
    if evaluation.parent >= 0, !slots[place].hasParents { noteParents(place) }
  }

  @inline(__always)
  private func isPlain(_ place: Int) -> Bool { slots[place].full == nil }

  @inline(__always)
  private func isOfRoot(_ unit: UInt64, _ place: Int) -> Bool {
    unit == slots[place].root && slots[place].title >= 0
  }

  // MARK: Parents

  /// The parent that a projection has now; -1 where there is none.
  func parent(of name: Int) -> Int32 { parents[name] }

  /// Notes whose child a projection is from now on. In cascades that are open it keeps the ancestors that it had.
  mutating func note(parent: Int?, of name: Int) {
    let parent = Int32(truncatingIfNeeded: parent ?? -1)
    guard self.parent(of: name) != parent else { return }
    for place in parented where isPlain(place) && slots[place].hasParents { _ = full(place) }
    parented.removeAll(keepingCapacity: true)
    parents[name] = parent
  }

  private mutating func noteParents(_ place: Int) {
    slots[place].hasParents = true
    if parented.count > 2 * order.count + 64 {
      parented = order.map(\.place).filter { isPlain($0) && slots[$0].hasParents }
    } else {
      parented.append(place)
    }
  }

  // MARK: Becoming more than plain

  private mutating func full(_ place: Int) -> Cascade {
    if let full = slots[place].full { return full }
    let cascade = spare.popLast() ?? Cascade()
    fill(cascade, from: place)
    forgetItems(place)
    slots[place].full = cascade
    return cascade
  }

  private func fill(_ cascade: Cascade, from place: Int) {
    let root = slots[place].root
    cascade.begin(root)
    if slots[place].title >= 0 {
      cascade.add(Cascade.Unit(seq: root, kind: slots[place].kind, title: slots[place].title, cause: 0), nil)
    }
    var item = slots[place].hits.first
    var recorded = slots[place].recorded
    while item >= 0 {
      let woken = Cascade.Woken(
        seq: root, projection: hits[item].projection, depth: 0, causes: hits[item].causes)
      cascade.addInvalidation(woken)
      if recorded > 0 { cascade.addRecorded(woken) }
      recorded -= 1
      item = hits.next(item)
    }
    item = slots[place].evaluations.first
    while item >= 0 {
      cascade.add(evaluations[item], ancestors: parents)
      item = evaluations.next(item)
    }
  }

  private mutating func forgetItems(_ place: Int) {
    hits.removeAll(of: &slots[place].hits)
    evaluations.removeAll(of: &slots[place].evaluations)
    slots[place].hasParents = false
  }
}
