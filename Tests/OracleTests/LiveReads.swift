import LogGenerator

/// Something that the body of a live projection reads.
struct LiveRead {
  /// The kind of read, and its parameters.
  var way: Int
  var index: Int
  var id: Int

  static let ways = 20

  init(_ random: inout SplitMix64) {
    way = random.upTo(Self.ways - 1)
    index = random.upTo(3)
    id = random.upTo(3)
  }

  /// Reads it, and returns the value as text.
  func callAsFunction(_ store: LiveStore) -> String {
    switch way {
    case 0: store.rows.indices.contains(index) ? store.rows[index].title : "-"
    case 1: "\(store.rows[id: id]?.count ?? -1)"
    case 2: store.rows.map(\.title).joined()
    case 3: "\(store.rows.count)"
    case 4: store.items.indices.contains(index) ? "\(store.items[index].count)" : "-"
    case 5: "\(store.items[id: id]?.count ?? -1)"
    case 6: "\(store.items.reduce(0) { $0 + $1.count })"
    case 7: "\(store.items.isEmpty)"
    case 8: "\(store.players["p\(index)"]?.count ?? -1)"
    case 9: store.players.keys.sorted().joined()
    case 10: "\(store.players.count)"
    case 11: "\(store.players.values.reduce(0) { $0 + $1.count })"
    case 12: store.names.joined()
    case 13: store.selected?.title ?? "-"
    case 14: "\(store.selected == nil)"
    case 15: store.selected?.next?.title ?? "-"
    case 16: store.text
    case 17: "\(store.level)"
    case 18: store.isLoading ? store.text : "\(store.rows.count)"
    default: "\(store.selected?.next?.next?.count ?? -1)"
    }
  }
}
