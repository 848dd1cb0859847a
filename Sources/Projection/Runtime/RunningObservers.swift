/// The properties of one object whose `willSet` or `didSet` of the user is running.
///
/// As in Swift itself, a property set from within its own observer does not run the observer again. Cost:
/// linear in the depth of observers that set other observed properties of the same object.
public struct RunningObservers {
  private var running: [Int] = []

  /// Creates the set with nothing running.
  public init() {}

  /// Marks the property; false when it was marked already. Every true is followed by ``end(_:)``.
  public mutating func begin(_ property: Int) -> Bool {
    if running.contains(property) { return false }
    running.append(property)
    return true
  }

  /// Takes the mark away.
  public mutating func end(_ property: Int) {
    if let position = running.lastIndex(of: property) { running.remove(at: position) }
  }
}
