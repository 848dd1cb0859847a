import Algorithms
import EventLog

/// Builds the tree of a cascade: below the root what it woke, below that what ran along or was written then.
///
/// One builder serves many cascades, one after the other, with the same memory.
struct CascadeBuilder {
  private(set) var nodes = CascadeNodes()
  /// The roots of the trees, of which there are several only where the chain of causes has a gap.
  private(set) var roots: [Int32] = []
  private var lookup = CascadeLookup()
  /// The events that led to others, in order.
  private var units: [UInt64] = []
  /// The evaluations and invalidations of each unit, by their places.
  private var evaluations = Buckets()
  private var invalidations = Buckets()
  /// The node of an event, by its seq.
  private var places = WakeMap()
  /// The node of a projection that ran for a unit.
  private var ran = WakeMap()

  /// Builds the trees of a cascade.
  mutating func build(
    _ cascade: Cascade, _ titles: inout CascadeNames, _ tables: borrowing RunTables
  ) {
    nodes.removeAll()
    roots.removeAll(keepingCapacity: true)
    places.removeAll()
    ran.removeAll()
    lookup.take(cascade)
    findUnits(cascade)
    // Causes come before effects, so in the order of seq every node finds the one above it.
    for (place, seq) in units.enumerated() {
      let node = node(of: seq, cascade, &titles)
      places[seq, 0] = node
      evaluations.forEach(in: place) {
        self.place(cascade.evaluations[$0], unit: place, below: node, cascade, &titles, tables)
      }
      evaluations.forEach(in: place) {
        let evaluation = cascade.evaluations[$0]
        places[evaluation.seq, 0] = ran[UInt64(place), evaluation.projection]
      }
      invalidations.forEach(in: place) {
        let projection = cascade.invalidations[$0].projection
        let woken =
          ran[UInt64(place), projection]
          ?? nodes.child(titles.projection(Int(projection), tables), .projection, of: node)
        nodes[woken].invalidations += 1
      }
    }
  }

  private mutating func findUnits(_ cascade: Cascade) {
    units.removeAll(keepingCapacity: true)
    for unit in cascade.units { units.append(unit.seq) }
    for evaluation in cascade.evaluations where evaluation.cause > 0 && units.last != evaluation.cause {
      units.append(evaluation.cause)
    }
    for invalidation in cascade.invalidations where units.last != invalidation.seq {
      units.append(invalidation.seq)
    }
    if units.count > 1 {
      units.sort()
      var last = 0
      for place in 1..<units.count where units[place] != units[last] {
        last += 1
        units[last] = units[place]
      }
      units.removeSubrange((last + 1)...)
    }
    evaluations.fill(cascade.evaluations.count, units) { cascade.evaluations[$0].cause }
    invalidations.fill(cascade.invalidations.count, units) { cascade.invalidations[$0].seq }
  }

  private mutating func node(
    of seq: UInt64, _ cascade: Cascade, _ titles: inout CascadeNames
  ) -> Int32 {
    // An evaluation that led to a write stands in the tree already.
    if let known = places[seq, 0] { return known }
    let unit = cascade.unit(seq)
    let title = unit?.title ?? titles.number("event \(seq)")
    if let unit, unit.cause > 0, let above = places[unit.cause, 0] {
      return nodes.child(title, .write, of: above)
    }
    let root = nodes.addRoot(title)
    roots.append(root)
    return root
  }

  /// Puts an evaluation below the ancestor it followed, or below what woke it.
  private mutating func place(
    _ evaluation: Cascade.Evaluation, unit: Int, below node: Int32, _ cascade: Cascade,
    _ titles: inout CascadeNames, _ tables: borrowing RunTables
  ) {
    var chain = [evaluation]
    var top = node
    while let last = chain.last, lookup.invalidation(of: last) == nil,
      let leader = lookup.leader(of: last, in: cascade).map({ cascade.evaluations[$0] }),
      !chain.contains(where: { $0.projection == leader.projection })
    {
      if let known = ran[UInt64(unit), leader.projection] {
        top = known
        break
      }
      chain.append(leader)
    }
    for evaluation in chain.reversed() {
      let known =
        ran[UInt64(unit), evaluation.projection]
        ?? nodes.child(titles.projection(Int(evaluation.projection), tables), .projection, of: top)
      ran[UInt64(unit), evaluation.projection] = known
      top = known
    }
    nodes.add(evaluation, to: top)
  }
}

/// Places of items by the unit that they belong to, in order within each.
private struct Buckets {
  private var starts: [Int] = []
  private var items: [Int] = []

  /// Sorts items into units, which are in order; those of no unit are left out.
  mutating func fill(_ count: Int, _ units: [UInt64], _ unit: (Int) -> UInt64) {
    starts.removeAll(keepingCapacity: true)
    items.removeAll(keepingCapacity: true)
    if units.count == 1 {
      for item in 0..<count where unit(item) == units[0] { items.append(item) }
      starts.append(0)
      starts.append(items.count)
      return
    }
    var found = [Int?](repeating: nil, count: count)
    starts.append(contentsOf: repeatElement(0, count: units.count + 1))
    for item in 0..<count {
      guard let place = Self.place(of: unit(item), in: units) else { continue }
      found[item] = place
      starts[place + 1] += 1
    }
    for place in units.indices { starts[place + 1] += starts[place] }
    var next = starts
    items.append(contentsOf: repeatElement(0, count: starts[units.count]))
    for (item, place) in found.enumerated() {
      guard let place else { continue }
      items[next[place]] = item
      next[place] += 1
    }
  }

  func forEach(in unit: Int, _ body: (Int) -> Void) {
    for place in starts[unit]..<starts[unit + 1] { body(items[place]) }
  }

  private static func place(of seq: UInt64, in units: [UInt64]) -> Int? {
    let place = units.partitioningIndex { $0 >= seq }
    return place < units.count && units[place] == seq ? place : nil
  }
}
