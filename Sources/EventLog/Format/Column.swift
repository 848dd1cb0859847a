/// The columns of a block of events, by their number in the file. FORMAT.md says what each holds.
enum Column: Int, CaseIterable {
  case stringLengths = 1
  case stringBytes = 2
  case pathKinds = 3
  case pathParents = 4
  case pathOperands = 5
  case kinds = 6
  case timeScale = 7
  case times = 8
  case causes = 9
  case sites = 10
  case subjects = 11
  case projections = 12
  case parents = 13
  case labels = 14
  case durations = 15
  case readCounts = 16
  case readPaths = 17
  case causeCounts = 18
  case causeDistances = 19
  case spliceOffsets = 20
  case spliceSizes = 21
  case valueTags = 22
  case valueInts = 23
  case valueUInts = 24
  case valueDoubles = 25
  case valueLengths = 26
  case valueCounts = 27
  case valueKeys = 28
  case valueBytes = 29
  case text = 30
  case threads = 31
  case tasks = 32
  case stacks = 33

  /// One more than the largest number.
  static let limit = 34

  /// Whether the column is left out when all its numbers are zero, so that reading an absent one gives zeros.
  ///
  /// The others say by their length how much there is.
  var isZeroWhenAbsent: Bool {
    switch self {
    case .stringLengths, .stringBytes, .pathKinds, .kinds, .valueTags, .valueDoubles, .valueBytes, .text:
      false
    default: true
    }
  }
}
