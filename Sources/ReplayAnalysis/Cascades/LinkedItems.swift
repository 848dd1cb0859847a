/// Many short lists in one buffer, whose memory is used again when they are given up.
struct LinkedItems<Item> {
  /// Where a list begins and ends; -1 while it is empty.
  struct List {
    fileprivate(set) var first: Int32 = -1
    fileprivate var last: Int32 = -1

    var isEmpty: Bool { first < 0 }
  }

  private struct Node {
    var item: Item
    var next: Int32
  }

  private var nodes: [Node] = []
  /// Those that are in no list.
  private var unused: Int32 = -1

  subscript(place: Int32) -> Item {
    @inline(__always) _read { yield nodes[Int(place)].item }
  }

  /// The place behind another in its list; -1 at the end.
  @inline(__always)
  func next(_ place: Int32) -> Int32 { nodes[Int(place)].next }

  @inline(__always)
  mutating func append(_ item: Item, to list: inout List) {
    let place: Int32
    if unused >= 0 {
      place = unused
      unused = nodes[Int(place)].next
      nodes[Int(place)] = Node(item: item, next: -1)
    } else {
      place = Int32(nodes.count)
      nodes.append(Node(item: item, next: -1))
    }
    if list.first < 0 { list.first = place } else { nodes[Int(list.last)].next = place }
    list.last = place
  }

  /// Cost: linear in the length.
  func count(_ list: List) -> Int {
    var (count, place) = (0, list.first)
    while place >= 0 { (count, place) = (count + 1, next(place)) }
    return count
  }

  /// Gives up a list, which is empty then. Cost: the same for any length.
  @inline(__always)
  mutating func removeAll(of list: inout List) {
    guard list.first >= 0 else { return }
    nodes[Int(list.last)].next = unused
    unused = list.first
    list = List()
  }
}
