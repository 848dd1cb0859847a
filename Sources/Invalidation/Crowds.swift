import EventLog

/// The many projections that a set wakes at once, as sets. Paths that wake the same share one.
struct Crowds: Sendable {
  /// So many are many.
  private static let least = 32

  private var crowds: [ProjectionSet] = []
  private var numbers: [[InvalidationCore.ProjectionID]: Int32] = [:]

  subscript(number: Int32) -> ProjectionSet {
    @inline(__always) _read { yield crowds[Int(number)] }
  }

  /// Whether there are so many sets that they should be forgotten, with all numbers.
  var isFull: Bool { crowds.count >= 256 }

  /// The number of the set of some projections; -1 where they are few.
  ///
  /// - Parameter ids: By the core's projection: the run's; nil where it is gone.
  mutating func number(
    of projections: [InvalidationCore.ProjectionID], _ ids: [ProjectionID?]
  ) -> Int32 {
    guard projections.count >= Self.least else { return -1 }
    if let number = numbers[projections] { return number }
    var crowd = ProjectionSet()
    for case let id? in projections.lazy.map({ ids[$0] }) { crowd.insert(id) }
    crowds.append(crowd)
    numbers[projections] = Int32(crowds.count - 1)
    return Int32(crowds.count - 1)
  }
}
