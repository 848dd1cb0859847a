/// The strings of one block, each once.
struct StringTable {
  private var ids: [ExactString: Int] = [:]
  private(set) var lengths: [UInt8] = []
  private(set) var bytes: [UInt8] = []
  var count: Int { ids.count }

  /// The number of a string in the block, new if need be. Cost: one hash.
  mutating func intern(_ string: String) -> Int {
    let key = ExactString(string)
    if let id = ids[key] { return id }
    let id = ids.count
    ids[key] = id
    lengths.appendVarint(string.utf8.count)
    bytes.append(contentsOf: string.utf8)
    return id
  }

  mutating func removeAll() {
    ids.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }
}
