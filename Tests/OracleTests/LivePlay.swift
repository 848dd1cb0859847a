import LogGenerator
import EventLog
import Projection

/// Plays a random session on live objects, through their own properties.
struct LivePlay {
  let store = LiveStore()
  let session: Session
  var random: SplitMix64
  /// Objects to insert: some are in several places, some in none.
  var pool: [LiveRow]
  let runs = LiveRuns()
  private var subscriptions: [ProjectionHandle] = []

  init(_ session: Session, seed: UInt64) {
    self.session = session
    random = SplitMix64(seed: seed)
    pool = (0..<4).map { LiveRow(id: $0) }
  }

  mutating func play() {
    for _ in 0..<random.upTo(6) { mutate() }
    session.attach(store, as: "store")
    for number in 0...random.upTo(4) { project(number) }
    for _ in 0..<(12 + random.upTo(20)) { step(depth: 0) }
  }

  private mutating func step(depth: Int) {
    switch random.upTo(99) {
    case ..<15 where depth < 3:
      session.transaction { for _ in 0...random.upTo(4) { step(depth: depth + 1) } }
    case ..<18 where depth == 0: project(subscriptions.count)
    case ..<20 where depth == 0: if let last = subscriptions.popLast() { last.cancel() }
    case ..<22: session.mark("tap")
    default: mutate()
    }
  }

  private mutating func project(_ number: Int) {
    let reads = (0...random.upTo(2)).map { _ in LiveRead(&random) }
    let tracking: Tracking = random.chance(50) ? .element : random.pick(Tracking.allCases)
    let (store, runs) = (store, runs)
    subscriptions.append(
      session.projection("P", tracking: tracking) { _ in
        runs.count += 1
        return reads.map { $0(store) }.joined(separator: "|")
      })
  }

  private mutating func row() -> LiveRow {
    if random.chance(30) { pool.append(LiveRow(id: random.upTo(4))) }
    return random.pick(pool)
  }

  private mutating func item() -> LiveItem { LiveItem(id: random.upTo(4), count: random.upTo(1)) }

  private mutating func mutate() {
    switch random.upTo(25) {
    case 0: store.rows.insert(row(), at: random.upTo(store.rows.count))
    case 1: if !store.rows.isEmpty { store.rows.remove(at: random.upTo(store.rows.count - 1)) }
    case 2: if !store.rows.isEmpty { store.rows[random.upTo(store.rows.count - 1)] = row() }
    case 3: if store.rows.count > 1 { store.rows.swapAt(0, random.upTo(store.rows.count - 1)) }
    case 4: store.rows = RecordedArray((0..<random.upTo(3)).map { _ in random.pick(pool) })
    case 5: if !store.rows.isEmpty { store.rows[random.upTo(store.rows.count - 1)].count += random.upTo(1) }
    case 6: store.rows[id: random.upTo(3)]?.title = random.pick(["", "a", "b"])
    case 7: store.items.append(item())
    case 8: if !store.items.isEmpty { store.items.remove(at: random.upTo(store.items.count - 1)) }
    case 9:
      if !store.items.isEmpty { store.items[random.upTo(store.items.count - 1)].count += random.upTo(1) }
    case 10: if !store.items.isEmpty { store.items[random.upTo(store.items.count - 1)] = item() }
    case 11: store.items[id: random.upTo(3)]?.title = random.pick(["", "a"])
    case 12: store.items = RecordedArray((0..<random.upTo(3)).map { _ in item() })
    case 13: store.items.sort { $0.count < $1.count }
    case 14: store.players["p\(random.upTo(3))"] = row()
    case 15: store.players["p\(random.upTo(3))"] = nil
    case 16: store.players["p\(random.upTo(3))"]?.count += random.upTo(1)
    case 17: store.names.append(random.pick(["", "x"]))
    case 18: store.names = random.pick([[], ["x"], ["x", "y"]])
    case 19: store.selected = random.chance(30) ? nil : row()
    case 20: store.selected?.next = random.chance(30) ? nil : row()
    case 21: store.selected?.title = random.pick(["", "a", "b"])
    case 22: store.text.append(random.pick(["", "é"]))
    case 23: store.text = random.pick(["abc", "abcd", "xbc", ""])
    case 24: store.level = random.pick([0, -0.0, .nan, 1])
    default: random.chance(50) ? store.isLoading.toggle() : (random.pick(pool).id = random.upTo(4))
    }
  }
}

/// How often bodies ran.
final class LiveRuns {
  var count = 0
}
