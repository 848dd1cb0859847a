/// The properties of one object whose `willSet` or `didSet` of the user is running.
///
/// As with `@Observable`, a property set from within its own observer runs the observer again; unlike there, not when
/// the set changes nothing, so that an observer which puts its property in order comes to an end. Cost: linear in the
/// depth of observers that set observed properties of the same object.
///
/// Used in the isolation of the object alone, and no part of what the object is: it encodes and compares as nothing.
public final class RunningObservers: @unchecked Sendable {
  private var running: [Int] = []

  /// Creates the set with nothing running.
  public init() {}

  /// Marks the property, whose observers run next; false when they are running already and nothing has changed. Every
  /// true is followed by ``end(_:)``.
  public func begin(_ property: Int, isChange: @autoclosure () -> Bool) -> Bool {
    if running.contains(property), !isChange() { return false }
    running.append(property)
    return true
  }

  /// Takes the mark away.
  public func end(_ property: Int) {
    if let position = running.lastIndex(of: property) { running.remove(at: position) }
  }

  /// The value, to compare with later, if an observer of the property is running; else nothing is copied.
  public func ifRunning<Member>(_ property: Int, _ value: Member) -> Member? {
    running.contains(property) ? value : nil
  }
}
