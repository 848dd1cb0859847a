import Observation

/// Where one recorded object reports what is read and written. Held by every ``RecordedObject``.
///
/// Calls come from the accessors that ``Recorded()`` writes, in the isolation of the object's class. The
/// order of calls in a set is `willSet`, the store, `didSet`; in a mutation in place it is `willModify`,
/// `beginEdits`, the mutation, `endEdits`, `didModify`. Where observers of the user exist, their `willSet`
/// runs before the first of these and their `didSet` before the last. Only during `beginEdits`, the
/// mutation and `endEdits` is the store being accessed: everywhere else what is notified may read and
/// write the object.
public struct RecordedRegistrar: Sendable {
  private let observation = ObservationRegistrar()

  /// Creates the registrar of a new object, attached to nothing.
  public init() {}

  /// Registers a read of the property.
  public func access<Subject: RecordedObject, Member>(
    _ subject: Subject, keyPath: KeyPath<Subject, Member>, property: Int
  ) {
    observation.access(subject, keyPath: keyPath)
  }

  /// Announces that the property is about to be set from `old` to `new`.
  ///
  /// The result goes to ``didSet(_:keyPath:property:to:_:)`` once the value is stored.
  public func willSet<Subject: RecordedObject, Member>(
    _ subject: Subject, keyPath: KeyPath<Subject, Member>, property: Int, from old: Member, to new: Member
  ) -> RecordedChange<Member> {
    announce(subject, keyPath, isSame: isSame(old, new) ?? false)
  }

  /// Announces that the property is about to be set; compares without looking for `Equatable` at run time.
  @inlinable
  public func willSet<Subject: RecordedObject, Member: Equatable>(
    _ subject: Subject, keyPath: KeyPath<Subject, Member>, property: Int, from old: Member, to new: Member
  ) -> RecordedChange<Member> {
    announce(subject, keyPath, isSame: isSame(old, new))
  }

  @usableFromInline
  func announce<Subject: RecordedObject, Member>(
    _ subject: Subject, _ keyPath: KeyPath<Subject, Member>, isSame: Bool
  ) -> RecordedChange<Member> {
    if !isSame { observation.willSet(subject, keyPath: keyPath) }
    return RecordedChange(isSame: isSame)
  }

  /// Says that the value announced by `willSet` is stored; `new` is what was announced. An observer of the
  /// user may have set another since, which was reported for itself.
  public func didSet<Subject: RecordedObject, Member>(
    _ subject: Subject, keyPath: KeyPath<Subject, Member>, property: Int, to new: Member,
    _ change: RecordedChange<Member>
  ) {
    if !change.isSame { observation.didSet(subject, keyPath: keyPath) }
  }

  /// Announces a mutation in place of the property, now `old`. Registers a read too.
  ///
  /// A copy of `old` kept in the result makes a collection copy its elements when it is mutated.
  public func willModify<Subject: RecordedObject, Member>(
    _ subject: Subject, keyPath: KeyPath<Subject, Member>, property: Int, from old: Member
  ) -> RecordedModification<Member> {
    observation.access(subject, keyPath: keyPath)
    observation.willSet(subject, keyPath: keyPath)
    return RecordedModification()
  }

  /// Prepares the store for the mutation. Must not call out: the store is being accessed.
  public func beginEdits<Member>(of storage: inout Member, _ change: inout RecordedModification<Member>) {}

  /// Collects from the store what the mutation did. Must not call out: the store is being accessed.
  public func endEdits<Member>(of storage: inout Member, _ change: inout RecordedModification<Member>) {}

  /// Says that the mutation announced by `willModify` is over.
  ///
  /// `change.isComplete` is false when the mutation ended by a thrown error.
  public func didModify<Subject: RecordedObject, Member>(
    _ subject: Subject, keyPath: KeyPath<Subject, Member>, property: Int, to new: Member,
    _ change: RecordedModification<Member>
  ) {
    observation.didSet(subject, keyPath: keyPath)
  }

  /// Calls `stored`, an object's reader of its own store, without the isolation in its type.
  ///
  /// - Precondition: The caller is in the isolation of the object's class.
  public func _$read<Stored>(
    _ stored: Stored, property: Int, into reader: any RecordedPropertyReader
  ) -> Bool {
    erasingIsolation(of: stored, as: ((Int, any RecordedPropertyReader) -> Bool).self)(property, reader)
  }

  /// Calls `stored`, an object's writer of its own store, without the isolation in its type.
  ///
  /// - Precondition: The caller is in the isolation of the object's class.
  public func _$write<Stored>(
    _ stored: Stored, property: Int, from writer: any RecordedPropertyWriter
  ) -> Bool {
    erasingIsolation(of: stored, as: ((Int, any RecordedPropertyWriter) -> Bool).self)(property, writer)
  }
}

/// The same function, of a type without a global actor. The macro passes a method whose isolation it cannot
/// know; a function's representation does not depend on it (`MainActor.assumeIsolated` relies on the same).
private func erasingIsolation<Isolated, Plain>(of function: Isolated, as plain: Plain.Type) -> Plain {
  precondition(MemoryLayout<Isolated>.size == MemoryLayout<Plain>.size)
  return unsafeBitCast(function, to: Plain.self)
}
