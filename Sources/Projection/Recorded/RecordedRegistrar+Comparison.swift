/// Sets of properties that are ``Compared(by:)`` otherwise than by their type.
extension RecordedRegistrar {
  /// Announces that the property is about to be set; `same` tells whether that changes it.
  public func willSet<Subject: RecordedObject, Member>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, from old: Member,
    to new: Member, by same: (Member, Member) -> Bool
  ) -> RecordedChange<Member> {
    announce(subject, keyPath, property, from: old, isSame: Frame.untracked { same(old, new) })
  }

  /// Announces that the property is about to be set; it changes if the part of it that `key` leads to does.
  public func willSet<Subject: RecordedObject, Member, Key: Equatable>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, from old: Member,
    to new: Member, by key: KeyPath<Member, Key>
  ) -> RecordedChange<Member> {
    announce(
      subject, keyPath, property, from: old,
      isSame: Frame.untracked { isSame(old[keyPath: key], new[keyPath: key]) })
  }
}
