import EventLog

/// Something of a recording that could not be driven. Nothing of it was applied, and the drive went on.
public struct DriveProblem: Hashable, Sendable, CustomStringConvertible {
  /// The event of the recording; 0 for one about the recording as a whole.
  public var event: UInt64
  /// The path of the value in the recording, if it is about one.
  public var path: String?
  /// What is wrong, and what to do about it.
  public var reason: String

  init(_ event: UInt64, _ path: Path?, _ reason: String) {
    self.event = event
    self.path = path.map(\.description)
    self.reason = reason
  }

  /// `event 17, store.rows[id: 3].count: there is no element with this id here`.
  public var description: String {
    "event \(event)" + (path.map { ", \($0)" } ?? "") + ": \(reason)"
  }
}

/// The problems of a drive. They may be as many as the events, so only the first are kept.
struct DriveProblems {
  private(set) var first: [DriveProblem] = []
  private(set) var count = 0
  private static let keptMax = 1_000

  mutating func add(_ problem: DriveProblem) {
    count += 1
    if first.count < Self.keptMax { first.append(problem) }
  }
}

/// Why a write of a recording does not fit the objects that are there.
struct Misfit: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
