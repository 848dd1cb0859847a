import EventLog

extension Link {
  /// Whether the standard library may have an observer of the property. Cost for an object that was never read: one load.
  @usableFromInline
  func isWatched(_ property: Int) -> Bool { watchers?.isWatched(property) ?? false }

  /// Records a set to a scalar, if a session records the object.
  @usableFromInline
  func record(_ value: Value, isSame: Bool, property: Int) {
    withLastAttachment { attachment in
      attachment.uncountedEngine._withUnsafeGuaranteedRef {
        $0.set(value, isSame: isSame, of: attachment, property: property)
      }
    }
  }

  /// Records a set, if a session records the object.
  @usableFromInline
  func record<Member>(_ new: Member, from before: ValueBefore<Member>?, isSame: Bool, property: Int) {
    guard let attachment else { return }
    attachment.engine.recordSet(new, from: before, isSame: isSame, of: attachment, property: property)
  }
}
