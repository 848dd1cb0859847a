/// The properties of one object whose `willSet` or `didSet` is running.
///
/// As with `@Observable`, an observer that sets its own property runs again. Unlike there, it does not run
/// again if the set changes nothing, so that an observer that corrects its property terminates.
///
/// Used only in the isolation of the object. It is not part of the object's value: it encodes nothing and is
/// always equal. Cost: linear in the number of the object's observers that are nested.
public final class RunningObservers: @unchecked Sendable {
  private var running: [Int] = []

  /// Creates an empty set.
  public init() {}

  /// Marks the property before its observers run. Returns false if they are running already and the set
  /// changes nothing. Call ``end(_:)`` after each true.
  public func begin(_ property: Int, isChange: @autoclosure () -> Bool) -> Bool {
    if running.contains(property), !isChange() { return false }
    running.append(property)
    return true
  }

  /// Removes the mark, once the observers have run.
  public func end(_ property: Int) {
    if let position = running.lastIndex(of: property) { running.remove(at: position) }
  }

  /// A copy of the value for a later comparison, if an observer of the property is running.
  public func ifRunning<Member>(_ property: Int, _ value: Member) -> Member? {
    running.contains(property) ? value : nil
  }
}

// The conformances encode nothing and always compare as equal, like those of ``RecordedRegistrar``.

extension RunningObservers: Codable, Hashable {
  /// Creates an empty set; decodes nothing.
  public convenience init(from decoder: any Decoder) { self.init() }

  /// Encodes nothing.
  public func encode(to encoder: any Encoder) {}

  /// Always true.
  public static func == (a: RunningObservers, b: RunningObservers) -> Bool { true }

  /// Adds nothing.
  public func hash(into hasher: inout Hasher) {}
}

extension KeyedEncodingContainer {
  /// Encodes nothing, not even the key.
  public mutating func encode(_ value: RunningObservers, forKey key: Key) throws {}
}
