/// A class that was `@Observable` may have its `Codable` or `Hashable` conformance made by the compiler, which asks all
/// stored properties. What the macro adds encodes as nothing, not even a key, and all of it is equal.
extension RecordedRegistrar: Codable, Hashable {
  /// A registrar of a new object.
  public init(from decoder: any Decoder) { self.init() }

  /// Encodes nothing.
  public func encode(to encoder: any Encoder) {}

  /// Always true.
  public static func == (a: RecordedRegistrar, b: RecordedRegistrar) -> Bool { true }

  /// Adds nothing.
  public func hash(into hasher: inout Hasher) {}
}

extension RunningObservers: Codable, Hashable {
  /// Nothing is running.
  public convenience init(from decoder: any Decoder) { self.init() }

  /// Encodes nothing.
  public func encode(to encoder: any Encoder) {}

  /// Always true.
  public static func == (a: RunningObservers, b: RunningObservers) -> Bool { true }

  /// Adds nothing.
  public func hash(into hasher: inout Hasher) {}
}

extension KeyedEncodingContainer {
  /// Encodes nothing. What the compiler synthesises calls this one, as it fits better than that for any `Encodable`: so
  /// an encoded object has no key for what the macro added.
  public mutating func encode(_ value: RecordedRegistrar, forKey key: Key) throws {}

  /// Encodes nothing.
  public mutating func encode(_ value: RunningObservers, forKey key: Key) throws {}
}
