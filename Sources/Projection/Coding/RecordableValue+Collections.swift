import EventLog

extension Array: RecordableValue {
  /// The elements; each that is `Identifiable` and encoded as a map has its `id`.
  public func recordedValue(in context: inout EncodingContext) -> Value {
    .array(map { context.encodeElement($0) })
  }
}

extension ArraySlice: RecordableValue {
  /// The elements, as of an array.
  public func recordedValue(in context: inout EncodingContext) -> Value {
    .array(map { context.encodeElement($0) })
  }
}

extension ContiguousArray: RecordableValue {
  /// The elements, as of an array.
  public func recordedValue(in context: inout EncodingContext) -> Value {
    .array(map { context.encodeElement($0) })
  }
}

extension Set: RecordableValue {
  /// The elements in an order that depends on nothing but them.
  public func recordedValue(in context: inout EncodingContext) -> Value {
    .array(map { context.encodeElement($0) }.sorted(by: Value.comesFirst))
  }
}

extension Dictionary: RecordableValue {
  /// A map when every key has a text of its own, sorted by key; otherwise an array of pairs.
  public func recordedValue(in context: inout EncodingContext) -> EventLog.Value {
    var entries: [(key: String, value: EventLog.Value)] = []
    entries.reserveCapacity(count)
    for (key, value) in self {
      guard let text = MapKey.text(of: key) else { return encodePairs(in: &context) }
      entries.append((text, context.encodeElement(value)))
    }
    entries.sort { ExactString($0.key) < ExactString($1.key) }
    for (entry, next) in zip(entries, entries.dropFirst()) where entry.key.hasSameBytes(as: next.key) {
      return encodePairs(in: &context)
    }
    return .map(NamedValues(uniqueKeysWithValues: entries))
  }

  private func encodePairs(in context: inout EncodingContext) -> EventLog.Value {
    let pairs = map { key, value in (key: context.encode(key), value: context.encodeElement(value)) }
    return .array(
      pairs.sorted { EventLog.Value.comesFirst($0.key, $1.key) }.map { .array([$0.key, $0.value]) })
  }
}

/// The text that stands for a dictionary's key in a map.
enum MapKey {
  /// Nil when the key's type has no text that reads back.
  static func text<Key>(of key: Key) -> String? {
    if let key = key as? String { return key }
    if let key = key as? any CodingKeyRepresentable { return key.codingKey.stringValue }
    if let key = key as? any RawRepresentable<String> { return key.rawValue }
    if let key = key as? any LosslessStringConvertible { return key.description }
    return nil
  }
}

extension Value {
  /// An order for values that have none of their own: integers by size, texts by their scalars, the rest by
  /// description.
  static func comesFirst(_ a: Value, _ b: Value) -> Bool {
    switch (a, b) {
    case (.int(let a), .int(let b)): a < b
    case (.double(let a), .double(let b)): a < b
    case (.string(let a), .string(let b)): ExactString(a) < ExactString(b)
    default: ExactString(String(describing: a)) < ExactString(String(describing: b))
    }
  }
}
