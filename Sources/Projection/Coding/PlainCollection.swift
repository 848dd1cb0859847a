import EventLog

/// Encodes the elements of collections. A session does so, which assigns ids to objects.
protocol ElementEncoding: AnyObject {
  /// The recorded form of a value, such as a key.
  func encode<T>(_ value: T) -> Value

  /// The recorded form of an element, with its `id`, by which paths name the element.
  func encodeElement<T>(_ element: T) -> Value

  /// The recorded forms of some elements of an array, in the order of their indices.
  func encodeElements<T>(_ elements: UnsafeBufferPointer<T>, at indices: [Int]) -> [Value]
}

/// A collection that keeps no journal of its mutations. Its elements before and after are compared by their
/// bytes in memory, and only those that differ are encoded.
///
/// Encoding all rows of an array of a thousand to find the one that changed takes milliseconds; comparing
/// their bytes takes microseconds.
protocol PlainCollection: SendableMetatype {
  /// Whether no element changed, found by a comparison that encodes none; false if that is not certain.
  func agrees(with old: Self) -> Bool

  /// The edits from `old` to this collection; nil if all of it must be encoded, in which case no element has
  /// been encoded yet.
  ///
  /// Each element is encoded at most once, because encoding an object defines it.
  ///
  /// - Parameter recorded: The recorded form of `old`.
  func edits(from old: Self, recorded: Value, by encoder: some ElementEncoding) -> [Edit]?
}

extension PlainCollection {
  /// The edits between two values; see ``ValueForm/edits(from:to:recorded:isSame:by:)``.
  static func edits(
    from old: UnsafeRawPointer, to new: UnsafeRawPointer, recorded: Value, isSame: Bool?,
    by encoder: some ElementEncoding
  ) -> [Edit]? {
    new.assumingMemoryBound(to: Self.self).pointee
      .edits(
        from: old.assumingMemoryBound(to: Self.self).pointee, recorded: recorded, isSame: isSame, by: encoder)
  }

  /// The edits from `old`; see ``ValueForm/edits(from:to:recorded:isSame:by:)``.
  func edits(from old: Self, recorded: Value, isSame: Bool?, by encoder: some ElementEncoding) -> [Edit]? {
    if isSame == true { return agrees(with: old) ? [] : nil }
    return edits(from: old, recorded: recorded, by: encoder)
  }
}

extension Optional: PlainCollection where Wrapped: PlainCollection {
  func agrees(with old: Self) -> Bool {
    switch (self, old) {
    case (let new?, let old?): new.agrees(with: old)
    default: self == nil && old == nil
    }
  }

  func edits(from old: Self, recorded: Value, by encoder: some ElementEncoding) -> [Edit]? {
    guard let new = self, let old else { return nil }
    return new.edits(from: old, recorded: recorded, by: encoder)
  }
}
