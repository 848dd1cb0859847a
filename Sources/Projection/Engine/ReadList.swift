import EventLog

/// The places that one run has read, in the order of first reads.
///
/// Most runs read what the last one did, in the same order: as long as that holds, a read costs a comparison.
struct ReadList {
  private var expected: [PathTable.ID]
  /// How many of the expected were read so far, while nothing else was.
  private var matched = 0
  /// What was read, once it is not what was expected.
  private var own: [PathTable.ID]?
  private var seen: Set<PathTable.ID> = []

  init(expecting expected: [PathTable.ID]) { self.expected = expected }

  /// Begins anew.
  mutating func restart(expecting expected: [PathTable.ID]) {
    self.expected = expected
    matched = 0
    guard own != nil else { return }
    own = nil
    seen = []
  }

  /// Whether everything was read that was expected, and nothing else.
  var isAsExpected: Bool { own == nil && matched == expected.count }

  /// The places, each once.
  var places: ArraySlice<PathTable.ID> { own.map { $0[...] } ?? expected[..<matched] }

  /// How many there are.
  var count: Int { own?.count ?? matched }

  mutating func insert(_ place: PathTable.ID) {
    if own == nil {
      if matched < expected.count, expected[matched] == place {
        matched += 1
        return
      }
      if matched > 0, expected[matched - 1] == place { return }
      own = Array(expected[..<matched])
      seen = Set(expected[..<matched])
    }
    if seen.insert(place).inserted { own?.append(place) }
  }
}
