/// Staged ids by the ids of one path table.
struct StagedPaths {
  private var ids: [UInt32] = []
  private static let none = UInt32.max

  @inline(__always)
  subscript(id: PathTable.ID) -> UInt32? {
    get {
      let index = Int(id.index)
      guard index < ids.count, ids[index] != Self.none else { return nil }
      return ids[index]
    }
    set {
      let index = Int(id.index)
      while index >= ids.count { ids.append(Self.none) }
      ids[index] = newValue ?? Self.none
    }
  }
}
