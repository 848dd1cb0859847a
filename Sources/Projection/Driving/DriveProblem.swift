import EventLog

/// A part of a recording that could not be driven. The value at its path stayed as it was, or as the
/// initializers set it, and the drive went on.
public struct DriveProblem: Hashable, Sendable, CustomStringConvertible {
  /// The event of the recording; for repeated problems the first.
  public let event: UInt64
  /// The path of the value in the recording, if the problem concerns a value.
  public let path: String?
  /// What is wrong, and how to solve it.
  public let reason: String
  /// How often the problem occurred, for this property of any object of the class.
  public internal(set) var count = 1

  init(_ event: UInt64, _ path: Path?, _ reason: String) {
    self.event = event
    self.path = path.map(\.description)
    self.reason = reason
  }

  /// `event 17, store.rows[id: 3].count: there is no element with this id here (and 4 times more)`.
  public var description: String {
    "event \(event)" + (path.map { ", \($0)" } ?? "") + ": \(reason)"
      + (count > 1 ? " (and \(count - 1) times more)" : "")
  }
}

/// The problems of a drive. There may be as many as events, so only the first are kept, and repetitions are
/// counted.
struct DriveProblems {
  /// Problems with the same key count as repetitions: the same property of any object of a class, and the
  /// same reason.
  struct Key: Hashable {
    var type: ExactString
    var property: ExactString
    var reason: ExactString
  }

  private(set) var first: [DriveProblem] = []
  /// The number of problems, repetitions included.
  private(set) var count = 0
  private var known: [Key: Int] = [:]
  /// The properties whose values could not be restored, with the problem. What does not fit there later follows from that.
  private var unrestored: [Property: Int] = [:]
  private static let keptMax = 1_000

  private struct Property: Hashable {
    var type: ExactString
    var property: ExactString
  }

  /// Adds a problem; returns false if it repeats another or follows from it, or too many are kept.
  ///
  /// - Parameter isRestoring: Whether a value of the property could not be restored.
  mutating func add(
    _ problem: DriveProblem, of type: String, _ property: String, isRestoring: Bool
  ) -> Bool {
    count += 1
    let failed = Property(type: ExactString(type), property: ExactString(property))
    if !isRestoring, !property.isEmpty, let position = unrestored[failed] {
      first[position].count += 1
      return false
    }
    let key = Key(
      type: ExactString(type), property: ExactString(property), reason: ExactString(problem.reason))
    if let position = known[key] {
      first[position].count += 1
      return false
    }
    guard first.count < Self.keptMax else { return false }
    known[key] = first.count
    if isRestoring, unrestored[failed] == nil { unrestored[failed] = first.count }
    first.append(problem)
    return true
  }
}

/// The reason why a write of a recording does not fit the session's objects.
struct Misfit: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
