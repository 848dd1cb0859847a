// What the accessors of a property pass on of its values: addresses and types, so that the accessors themselves are
// compiled for the type of the property, and nothing behind them is.

extension Link {
  /// The ``Attachment/recordCount`` of the object, if a session records it.
  @usableFromInline
  var recordCount: UInt64? { attachment?.recordCount }

  /// Records a set of a property, if a session records the object.
  ///
  /// - Parameters:
  ///   - type: The type of the property.
  ///   - new: Where the new value is.
  ///   - old: Where the value before is, if it was kept, and `recordCount` what it was when that was read.
  ///   - isSame: Whether nothing changed by the app's equality.
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

  /// What a mutation in place of a property must know before it begins.
  @usableFromInline
  func stateBeforeModification(of property: Int) -> StateBefore {
    guard let attachment else { return StateBefore(attachment: nil, recordCount: 0, isRedacted: false) }
    return StateBefore(
      attachment: ObjectIdentifier(attachment), recordCount: attachment.recordCount,
      isRedacted: attachment.properties[property].isRedacted)
  }

  /// Records a mutation in place of a property, if the session that records the object did so when it began.
  ///
  /// - Parameters:
  ///   - type: The type of the property.
  ///   - new: Where the value is now.
  ///   - old: Where the value before is, if it was kept.
  ///   - isComplete: Whether the mutation returned.
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

  /// How a session records an object before a mutation in place of one of its properties.
  @usableFromInline
  struct StateBefore {
    /// The tie to the session that records the object, if one does. The object keeps it.
    @usableFromInline let attachment: ObjectIdentifier?
    /// The ``Attachment/recordCount``.
    @usableFromInline let recordCount: UInt64
    /// Whether the log must not hold the value.
    @usableFromInline let isRedacted: Bool
  }
}
