/// The columns of an index that an events block does not have, by their number in the file; see FORMAT.md. Its
/// tables of strings and paths are columns as in a block of events.
enum IndexColumn: Int, CaseIterable {
  case blockKinds = 40
  case eventCounts = 41
  case baseTimes = 42
  case durableSeqs = 43
  case totals = 44
  case writtenPaths = 45
  case pathRunCounts = 46
  case pathRuns = 47
  case projections = 48
  case projectionRunCounts = 49
  case projectionRuns = 50
  case hashes = 51
  case tableHash = 52
  case openTransactions = 53

  /// Whether the column is left out when all its numbers are zero, so that reading an absent one gives zeros.
  ///
  /// The others say by their length how much there is.
  var isZeroWhenAbsent: Bool {
    switch self {
    case .blockKinds, .totals, .pathRunCounts, .projectionRunCounts, .hashes, .tableHash: false
    default: true
    }
  }
}
