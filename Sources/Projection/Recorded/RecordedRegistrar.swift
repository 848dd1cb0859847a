import EventLog
import Observation

/// Where one recorded object reports what is read and written. Held by every ``RecordedObject``.
///
/// Calls come from the accessors that ``Recorded()`` writes, in the isolation of the object's class. The
/// order of calls in a set is `willSet`, the store, `didSet`; in a mutation in place it is `willModify`,
/// `beginEdits`, the mutation, `endEdits`, `didModify`. Observers of the user run right before the store and after
/// the last of these, between `hold` and `release`. Only during `beginEdits`, the mutation and `endEdits` is
/// the store being accessed: everywhere else what is notified may read and write the object.
///
/// The standard library's observers are told too, unless the set is to an equal value. They are told
/// before the store, as they expect; the session's projections run after it.
public struct RecordedRegistrar: Sendable {
  @usableFromInline let link = Link()

  /// Creates the registrar of a new object, attached to nothing.
  public init() {}

  /// The session that records the object, if one does.
  var attachment: Attachment? { link.attachment }

  func attach(_ attachment: Attachment) { link.attach(attachment) }

  /// Registers a read of the property.
  public func access<Subject: RecordedObject, Member>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int
  ) {
    if let frame = Frame.current { frame.note(property, of: link, type(of: subject)) }
    watchers(of: subject).access(subject, keyPath, property)
  }

  /// Registers a read of a property that holds a recorded collection: for the session the collection
  /// itself says what is read of it, once its object is attached.
  public func access<Subject: RecordedObject, Member: RecordedCollection>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int
  ) {
    if let frame = Frame.current { frame.noteCollection(property, of: link, type(of: subject)) }
    watchers(of: subject).access(subject, keyPath, property)
  }

  @inline(__always)
  func watchers<Subject: RecordedObject>(of subject: Subject) -> Watchers {
    link.watchers ?? link.makeWatchers(properties: type(of: subject)._$propertyCount)
  }

  /// Announces that the property is about to be set from `old` to `new`.
  ///
  /// The result goes to ``didSet(_:keyPath:property:to:_:)`` once the value is stored.
  public func willSet<Subject: RecordedObject, Member>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, from old: Member,
    to new: Member
  ) -> RecordedChange<Member> {
    announce(subject, keyPath, property, from: old, isSame: Frame.untracked { isSame(old, new) ?? false })
  }

  /// Announces that the property is about to be set; compares without looking for `Equatable` at run time.
  @inlinable
  public func willSet<Subject: RecordedObject, Member: Equatable>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, from old: Member,
    to new: Member
  ) -> RecordedChange<Member> {
    announce(subject, keyPath, property, from: old, isSame: isSame(old, new))
  }

  /// Announces that a recorded collection is about to be set. Comparing it is no read by a projection.
  public func willSet<Subject: RecordedObject, Member: RecordedCollection & Equatable>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, from old: Member,
    to new: Member
  ) -> RecordedChange<Member> {
    announce(subject, keyPath, property, from: old, isSame: Frame.untracked { isSame(old, new) })
  }

  /// Announces that a recorded collection is about to be set whose elements, objects above all, cannot be
  /// compared: the session will compare what it records of them.
  public func willSet<Subject: RecordedObject, Member: RecordedCollection>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, from old: Member,
    to new: Member
  ) -> RecordedChange<Member> {
    var change: RecordedChange<Member> = announce(subject, keyPath, property, from: old, isSame: false)
    change.isComparable = false
    return change
  }

  @inlinable
  func announce<Subject: RecordedObject, Member>(
    _ subject: Subject, _ keyPath: () -> KeyPath<Subject, Member>, _ property: Int, from old: Member,
    isSame: Bool
  ) -> RecordedChange<Member> {
    let before = Scalar.isScalar(Member.self) ? nil : kept(old)
    let isWatched = !isSame && link.isWatched(property)
    if isWatched { tellBefore(subject, keyPath()) }
    return RecordedChange(isSame: isSame, isWatched: isWatched, before: before)
  }

  /// The value before a change, if a session records the object.
  @usableFromInline
  func kept<Member>(_ old: Member) -> ValueBefore<Member>? {
    link.attachment.map { ValueBefore(value: old, recordCount: $0.recordCount) }
  }

  @usableFromInline
  func tellBefore<Subject: RecordedObject, Member>(_ subject: Subject, _ keyPath: KeyPath<Subject, Member>) {
    link.watchers?.registrar.willSet(subject, keyPath: keyPath)
  }

  @usableFromInline
  func tellAfter<Subject: RecordedObject, Member>(_ subject: Subject, _ keyPath: KeyPath<Subject, Member>) {
    link.watchers?.registrar.didSet(subject, keyPath: keyPath)
  }

  /// Says that the value announced by `willSet` is stored; `new` is what was announced. An observer of the
  /// user may have set another since, which was reported for itself.
  @inlinable
  public func didSet<Subject: RecordedObject, Member>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, to new: Member,
    _ change: RecordedChange<Member>
  ) {
    if change.isWatched { tellAfter(subject, keyPath()) }
    if let scalar = Scalar(new) {
      link.record(scalar.value, isSame: change.isSame, property: property)
    } else {
      link.record(new, from: change.before, isSame: change.isSame, property: property)
    }
  }

  /// Says that a recorded collection is stored: from now on it reports for this property.
  public func didSet<Subject: RecordedObject, Member: RecordedCollection>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, to new: Member,
    _ change: RecordedChange<Member>
  ) {
    if change.isWatched { tellAfter(subject, keyPath()) }
    guard let attachment = link.attachment else { return }
    attachment.engine.bindCollection(of: subject, attachment, property: property)
    let isSame = change.isComparable ? change.isSame : nil
    attachment.engine.recordSet(new, from: change.before, isSame: isSame, of: attachment, property: property)
  }

  /// Announces a mutation in place of the property, now `old`. Registers a read too.
  ///
  /// A copy of `old` kept in the result makes a collection copy its elements when it is mutated.
  public func willModify<Subject: RecordedObject, Member>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, from old: Member
  ) -> RecordedModification<Member> {
    let before = kept(old)
    var change = beginModification(subject, keyPath, property)
    // Of a string the session itself has kept what was there before.
    if Member.self != String.self || change.isRedacted { change.before = before }
    return change
  }

  /// Announces a mutation in place of a recorded collection, whose journal will say what was there before.
  public func willModify<Subject: RecordedObject, Member: RecordedCollection>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, from old: Member
  ) -> RecordedModification<Member> {
    var change = beginModification(subject, keyPath, property)
    change.mutation = change.attachment.map {
      CollectionMutation(of: $0, property: property, isRedacted: change.isRedacted)
    }
    return change
  }

  private func beginModification<Subject: RecordedObject, Member>(
    _ subject: Subject, _ keyPath: () -> KeyPath<Subject, Member>, _ property: Int
  ) -> RecordedModification<Member> {
    watchers(of: subject).access(subject, keyPath, property)
    var change = RecordedModification<Member>(attachment: link.attachment)
    change.isRedacted = change.attachment?.properties[property].isRedacted ?? false
    change.isWatched = link.isWatched(property)
    if change.isWatched { tellBefore(subject, keyPath()) }
    return change
  }

  /// Prepares the store for the mutation. Must not call out: the store is being accessed.
  public func beginEdits<Member>(of storage: inout Member, _ change: inout RecordedModification<Member>) {}

  /// Prepares a recorded collection for the mutation: it starts to keep a journal.
  public func beginEdits<Member: RecordedCollection>(
    of storage: inout Member, _ change: inout RecordedModification<Member>
  ) {
    if let mutation = change.mutation { storage._$beginEdits(mutation) }
  }

  /// Collects from the store what the mutation did. Must not call out: the store is being accessed.
  public func endEdits<Member>(of storage: inout Member, _ change: inout RecordedModification<Member>) {}

  /// Collects what a recorded collection's journal says.
  public func endEdits<Member: RecordedCollection>(
    of storage: inout Member, _ change: inout RecordedModification<Member>
  ) {
    guard let mutation = change.mutation else { return }
    defer { mutation.close() }
    // The standard library's observers come first.
    if !change.isWatched, !change.isRedacted, storage._$recordEdit(mutation) {
      change.isRecorded = true
      return
    }
    let edits = storage._$endEdits(mutation)
    if !change.isRedacted { change.edits = edits?.map(\.edit) }
  }

  /// Says that the mutation announced by `willModify` is over.
  ///
  /// `change.isComplete` is false when the mutation ended by a thrown error.
  public func didModify<Subject: RecordedObject, Member>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, to new: Member,
    _ change: RecordedModification<Member>
  ) {
    if change.isWatched { tellAfter(subject, keyPath()) }
    guard let attachment = change.attachment else { return }
    attachment.engine.recordModification(change, new, of: attachment, property: property)
  }

  /// Says that a mutation in place of a recorded collection is over.
  public func didModify<Subject: RecordedObject, Member: RecordedCollection>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, to new: Member,
    _ change: RecordedModification<Member>
  ) {
    if change.isWatched { tellAfter(subject, keyPath()) }
    guard let attachment = change.attachment else { return }
    defer { change.mutation?.finish() }
    if change.isRecorded { return }
    let engine = attachment.engine
    // Another collection was put in its place.
    if change.edits == nil { engine.bindCollection(of: subject, attachment, property: property) }
    engine.recordEdits(
      change.edits, isComplete: change.isComplete, new, of: attachment, property: property)
  }
}
