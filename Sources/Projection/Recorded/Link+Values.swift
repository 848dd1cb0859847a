import EventLog

// Accessors pass addresses and types of values, so that only the accessors themselves are specialized for the
// type of the property.

extension Link {
  /// The ``Attachment/recordCount`` of the object; nil if no session records it.
  @usableFromInline
  var recordCount: UInt64? { attachment?.recordCount }

  /// Records a set of a property, if a session records the object.
  ///
  /// - Parameters:
  ///   - type: The type of the property.
  ///   - new: The address of the new value.
  ///   - old: The address of the value before, if it was kept; `recordCount` is the count when it was read.
  ///   - isSame: Whether nothing changed by the app's own equality.
  @usableFromInline
  func record(
    _ type: Any.Type, _ new: UnsafeRawPointer, from old: UnsafeRawPointer?, _ recordCount: UInt64,
    isSame: Bool, property: Int
  ) {
    guard let attachment else { return }
    attachment.engine.recordSet(
      StoredValue(address: new, type: type), from: ValueBefore(old, recordCount), isSame: isSame,
      of: attachment, property: property)
  }

  /// The state that a mutation of a property in place needs to know before it begins.
  @usableFromInline
  func stateBeforeModification(of property: Int) -> StateBefore {
    guard let attachment else { return StateBefore(attachment: nil, recordCount: 0, hidesParts: false) }
    return StateBefore(
      attachment: ObjectIdentifier(attachment), recordCount: attachment.recordCount,
      hidesParts: attachment.properties[property].hidesParts)
  }

  /// The same for a property whose value is a number or a Boolean.
  @usableFromInline
  var stateBeforeScalarModification: StateBefore {
    StateBefore(attachment: attachment.map { ObjectIdentifier($0) }, recordCount: 0, hidesParts: false)
  }

  /// Records a set of a property to a scalar, if the session that recorded the object before still does.
  @usableFromInline
  func record(_ value: Value, isSame: Bool, after before: StateBefore, property: Int) {
    guard let known = before.attachment, let attachment, known == ObjectIdentifier(attachment) else { return }
    attachment.engine.setNow(value, isSame: isSame, of: attachment, property: property)
  }

  /// Records a mutation of a property in place, if the session recorded the object when the mutation began.
  ///
  /// - Parameters:
  ///   - type: The type of the property.
  ///   - new: The address of the present value.
  ///   - old: The address of the value before, if it was kept.
  ///   - isComplete: Whether the mutation returned without an error.
  @usableFromInline
  func recordModification(
    _ type: Any.Type, _ new: UnsafeRawPointer, from old: UnsafeRawPointer?, _ before: StateBefore,
    isComplete: Bool, property: Int
  ) {
    guard let attachment, before.attachment == ObjectIdentifier(attachment) else { return }
    attachment.engine.recordModification(
      to: StoredValue(address: new, type: type), from: ValueBefore(old, before.recordCount),
      isComplete: isComplete, of: attachment, property: property)
  }

  /// How a session records an object, before a mutation of one of its properties in place.
  @usableFromInline
  struct StateBefore {
    /// The attachment to the session that records the object, if any. The object retains it.
    @usableFromInline let attachment: ObjectIdentifier?
    /// The ``Attachment/recordCount`` at that time.
    @usableFromInline let recordCount: UInt64
    /// Whether the log must not name parts of the value.
    @usableFromInline let hidesParts: Bool
  }
}
