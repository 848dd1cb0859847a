/// Where the open cascade of each root is.
struct RootPlaces {
  /// Those of most roots, by their last bits: finding one there costs no hash.
  private var near = [(root: UInt64, place: Int32)](repeating: (0, -1), count: 1 << 15)
  /// The others.
  private var far: [UInt64: Int] = [:]

  subscript(root: UInt64) -> Int? {
    @inline(__always)
    get {
      let (found, place) = near[slot(of: root)]
      if found == root, place >= 0 { return Int(place) }
      return far.isEmpty ? nil : far[root]
    }
  }

  /// Adds one of a root that has none yet.
  mutating func insert(_ place: Int, of root: UInt64) {
    let slot = slot(of: root)
    if near[slot].place < 0 { near[slot] = (root, Int32(place)) } else { far[root] = place }
  }

  mutating func remove(_ place: Int, of root: UInt64) {
    let slot = slot(of: root)
    if near[slot].root == root, near[slot].place == place {
      near[slot].place = -1
    } else {
      far[root] = nil
    }
  }

  @inline(__always)
  private func slot(of root: UInt64) -> Int { Int(truncatingIfNeeded: root) & (near.count - 1) }
}
