extension RecordedArray: ExpressibleByArrayLiteral {
  /// Creates an array of these elements.
  public init(arrayLiteral elements: Element...) { storage = elements }
}

extension RecordedArray: Equatable where Element: Equatable {
  /// Compares the elements. Depends on all of them.
  public static func == (a: RecordedArray, b: RecordedArray) -> Bool { a.elements == b.elements }
}

extension RecordedArray: Hashable where Element: Hashable {
  /// Hashes the elements. Depends on all of them.
  public func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}

// What is shared between copies is behind locks; the journal is used during a mutation only, which is exclusive.
extension RecordedArray: @unchecked Sendable where Element: Sendable {}

extension RecordedArray: CustomStringConvertible, CustomDebugStringConvertible {
  /// As an `Array` describes itself. Depends on all elements.
  public var description: String { elements.description }

  /// As an `Array` describes itself. Depends on all elements.
  public var debugDescription: String { elements.debugDescription }
}

extension RecordedArray: CustomReflectable {
  /// Shows the elements, as of an `Array`. Depends on all of them.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: elements, displayStyle: .collection) }
}

extension RecordedArray: Encodable where Element: Encodable {
  /// Encodes as an `Array` does. Depends on all elements.
  public func encode(to encoder: any Encoder) throws { try elements.encode(to: encoder) }
}

extension RecordedArray: Decodable where Element: Decodable {
  /// Decodes as an `Array` does.
  public init(from decoder: any Decoder) throws { storage = try [Element](from: decoder) }
}
