import EventLog

/// A value that is recorded as it is, whole, and costs nothing to encode: a number, a Boolean, a short string.
@usableFromInline
struct Scalar {
  @usableFromInline let value: Value

  /// Nil for all other values. Cost: none where the type is known when the code is compiled.
  @inlinable
  init?<T>(_ value: T) {
    if T.self == Int.self, let value = value as? Int {
      self.value = .int(Int64(value))
    } else if T.self == Bool.self, let value = value as? Bool {
      self.value = .bool(value)
    } else if T.self == Double.self, let value = value as? Double {
      self.value = .double(value)
    } else if T.self == String.self, let value = value as? String, value.utf8.count < Self.shortString {
      self.value = .string(value)
    } else {
      return nil
    }
  }

  /// Whether values of a type are mostly scalars. Cost: none where the type is known when the code is compiled.
  @inlinable
  static func isScalar<T>(_ type: T.Type) -> Bool {
    T.self == Int.self || T.self == Bool.self || T.self == Double.self || T.self == String.self
  }

  /// A string of so many bytes may be recorded as the edit of the one before.
  @usableFromInline static let shortString = 16
}
