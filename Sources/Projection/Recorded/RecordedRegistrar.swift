import EventLog
import Observation

/// Reports the reads and writes of one recorded object to its session and to the standard library's
/// observers.
///
/// The accessors that ``Recorded()`` writes call it, in the isolation of the object's class, in this order:
///
///     set:                willSet  [the class's willSet]  store  didSet  [the class's didSet]
///     mutation in place:  willModify  beginEdits  mutation  endEdits  didModify  [the class's didSet]
///
/// For a property with observers in its class, all of this happens between `hold` and `release`. The store is
/// being accessed only from `beginEdits` to `endEdits`; at other times code that is called may read and write
/// the object.
///
/// The standard library's observers are notified before the store, as they expect, of the same sets as by
/// `@Observable`. That is decided by the property's static type, as there: unless the type is `Equatable` and
/// both values are equal by `!=`, or is a class that is not, and both are one object. What the log calls the same
/// value is decided apart from it, by `isSame(_:_:)`. The session's projections run after the store.
public struct RecordedRegistrar: Sendable {
  @usableFromInline let link = Link()

  /// Creates the registrar of a new object, which is attached to no session.
  public init() {}

  /// The attachment to the session that records the object, if any.
  var attachment: Attachment? { link.attachment }

  func attach(_ attachment: Attachment) { link.attach(attachment) }

  /// Registers a read of the property.
  public func access<Subject: RecordedObject, Member>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int
  ) {
    var isHidden = false
    Frame.withCurrent { frame in
      frame.register(property, of: link, type(of: subject))
      isHidden = frame.hidesReads
    }
    if isHidden { return }
    link.withWatchers(type(of: subject)._$propertyCount) { $0.access(subject, keyPath, property) }
  }

  /// Registers a read of a property that holds a recorded collection. Once the object is attached, the
  /// collection itself registers what the session's projections read from it.
  public func access<Subject: RecordedObject, Member: RecordedCollection>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int
  ) {
    var isHidden = false
    Frame.withCurrent { frame in
      frame.registerCollection(property, of: link, type(of: subject))
      isHidden = frame.hidesReads
    }
    if isHidden { return }
    link.withWatchers(type(of: subject)._$propertyCount) { $0.access(subject, keyPath, property) }
  }

  /// The standard library's observers of an object, made at the first call.
  @inline(__always)
  func watchers<Subject: RecordedObject>(of subject: Subject) -> Watchers {
    link.watchers ?? link.makeWatchers(properties: type(of: subject)._$propertyCount)
  }

  /// Announces that the property is about to be set from `old` to `new`. Observers are notified of every set,
  /// because the type is not known to be `Equatable`.
  ///
  /// Pass the result to `didSet` once the value is stored.
  public func willSet<Subject: RecordedObject, Member>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, from old: Member,
    to new: Member
  ) -> RecordedChange<Member> {
    announce(
      subject, keyPath, property, from: old, isSame: Frame.untracked { isSame(old, new) ?? false },
      notifies: true)
  }

  /// Announces that an object that is not `Equatable` is about to be set.
  public func willSet<Subject: RecordedObject, Member: AnyObject>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, from old: Member,
    to new: Member
  ) -> RecordedChange<Member> {
    announce(
      subject, keyPath, property, from: old, isSame: Frame.untracked { isSame(old, new) ?? false },
      notifies: old !== new)
  }

  /// Announces that an object is about to be set whose class decides what is equal. The log calls two different
  /// objects different nevertheless.
  public func willSet<Subject: RecordedObject, Member: Equatable & AnyObject>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, from old: Member,
    to new: Member
  ) -> RecordedChange<Member> {
    let areEqual = old == new
    return announce(
      subject, keyPath, property, from: old, isSame: isSame(old, new, areEqual: areEqual), notifies: !areEqual
    )
  }

  /// Announces that the property is about to be set. Compares without looking up `Equatable` at run time.
  @inlinable
  public func willSet<Subject: RecordedObject, Member: Equatable>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, from old: Member,
    to new: Member
  ) -> RecordedChange<Member> {
    let areEqual = old == new
    return announce(
      subject, keyPath, property, from: old, isSame: isSame(old, new, areEqual: areEqual), notifies: !areEqual
    )
  }

  /// Announces that a recorded collection is about to be set. The comparison registers no read.
  public func willSet<Subject: RecordedObject, Member: RecordedCollection & Equatable>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, from old: Member,
    to new: Member
  ) -> RecordedChange<Member> {
    let areEqual = Frame.untracked { old == new }
    return announce(subject, keyPath, property, from: old, isSame: areEqual, notifies: !areEqual)
  }

  /// Announces that a recorded collection is about to be set whose elements cannot be compared, such as
  /// objects. The session will compare their recorded forms.
  public func willSet<Subject: RecordedObject, Member: RecordedCollection>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, from old: Member,
    to new: Member
  ) -> RecordedChange<Member> {
    var change: RecordedChange<Member> = announce(
      subject, keyPath, property, from: old, isSame: false, notifies: true)
    change.isComparable = false
    return change
  }

  /// Notifies the standard library's observers of a set, and keeps the old value if the session will need it.
  ///
  /// - Parameters:
  ///   - isSame: Whether the log calls the values the same.
  ///   - notifies: Whether `@Observable` would notify observers.
  @inlinable
  func announce<Subject: RecordedObject, Member>(
    _ subject: Subject, _ keyPath: () -> KeyPath<Subject, Member>, _ property: Int, from old: Member,
    isSame: Bool, notifies: Bool
  ) -> RecordedChange<Member> {
    let recordCount = RecordedScalar.isScalar(Member.self) ? nil : link.recordCount
    let isWatched = notifies && link.isWatched(property)
    if isWatched { notifyBefore(subject, keyPath()) }
    return RecordedChange(
      isSame: isSame, isWatched: isWatched, before: recordCount == nil ? nil : old,
      recordCount: recordCount ?? 0)
  }

  @usableFromInline
  func notifyBefore<Subject: RecordedObject, Member>(_ object: Subject, _ keyPath: KeyPath<Subject, Member>) {
    link.watchers?.registrar.willSet(object, keyPath: keyPath)
  }

  @usableFromInline
  func notifyAfter<Subject: RecordedObject, Member>(_ object: Subject, _ keyPath: KeyPath<Subject, Member>) {
    link.watchers?.registrar.didSet(object, keyPath: keyPath)
  }

  /// Reports that the value announced by `willSet` is stored. `new` is the announced value: an observer of
  /// the class may have set another value since, which was reported separately.
  @inlinable
  public func didSet<Subject: RecordedObject, Member>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, to new: Member,
    _ change: RecordedChange<Member>
  ) {
    if change.isWatched { notifyAfter(subject, keyPath()) }
    if let scalar = RecordedScalar(new) {
      link.record(scalar.value, isSame: change.isSame, property: property)
    } else if let before = change.before {
      withUnsafePointer(to: new) { new in
        withUnsafePointer(to: before) { before in
          link.record(
            Member.self, new, from: before, change.recordCount, isSame: change.isSame, property: property)
        }
      }
    } else {
      withUnsafePointer(to: new) { new in
        link.record(Member.self, new, from: nil, 0, isSame: change.isSame, property: property)
      }
    }
  }

  /// Reports that a recorded collection is stored. From now on the collection registers reads for this
  /// property.
  public func didSet<Subject: RecordedObject, Member: RecordedCollection>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, to new: Member,
    _ change: RecordedChange<Member>
  ) {
    if change.isWatched { notifyAfter(subject, keyPath()) }
    guard let attachment = link.attachment else { return }
    attachment.engine.bindCollection(of: subject, attachment, property: property)
    let isSame = change.isComparable ? change.isSame : nil
    withUnsafePointer(to: new) { new in
      func record(from before: UnsafePointer<Member>?) {
        attachment.engine.recordSet(
          StoredValue(address: new, type: Member.self), from: ValueBefore(before, change.recordCount),
          isSame: isSame, of: attachment, property: property)
      }
      if let before = change.before {
        withUnsafePointer(to: before) { record(from: $0) }
      } else {
        record(from: nil)
      }
    }
  }

  /// Announces a mutation of the property in place, whose value is `old`. Also registers a read.
  ///
  /// The result may keep a copy of `old`, in which case a collection copies its elements when it is mutated.
  @inlinable
  public func willModify<Subject: RecordedObject, Member>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, from old: Member
  ) -> RecordedModification<Member> {
    let state = link.stateBeforeModification(of: property)
    registerObserved(subject, keyPath(), property)
    let isWatched = link.isWatched(property)
    if isWatched { notifyBefore(subject, keyPath()) }
    // The session already has the earlier value of a string whose edits the log holds.
    let isKept = state.attachment != nil && (Member.self != String.self || state.hidesParts)
    return RecordedModification(state: state, isWatched: isWatched, before: isKept ? old : nil)
  }

  /// Announces a mutation in place of a recorded collection, whose journal will hold the edits.
  public func willModify<Subject: RecordedObject, Member: RecordedCollection>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, from old: Member
  ) -> RecordedCollectionModification<Member> {
    registerObserved(subject, keyPath(), property)
    var change = RecordedCollectionModification<Member>(attachment: link.attachment)
    change.hidesParts = change.attachment?.properties[property].hidesParts ?? false
    change.isWatched = link.isWatched(property)
    if change.isWatched { notifyBefore(subject, keyPath()) }
    change.mutation = change.attachment.map {
      CollectionMutation(of: $0, property: property, hidesParts: change.hidesParts)
    }
    return change
  }

  /// Registers a read of the property by the standard library's observers.
  @usableFromInline
  func registerObserved<Subject: RecordedObject, Member>(
    _ subject: Subject, _ keyPath: @autoclosure () -> KeyPath<Subject, Member>, _ property: Int
  ) {
    if Frame.current?.hidesReads == true { return }
    link.withWatchers(type(of: subject)._$propertyCount) { $0.access(subject, keyPath, property) }
  }

  /// Prepares the store for the mutation. Must not call the app's code: the store is being accessed.
  @inlinable
  public func beginEdits<Member>(of storage: inout Member, _ change: inout RecordedModification<Member>) {}

  /// Makes a recorded collection begin a journal of the mutation.
  public func beginEdits<Member: RecordedCollection>(
    of storage: inout Member, _ change: inout RecordedCollectionModification<Member>
  ) {
    if let mutation = change.mutation { storage._$beginEdits(mutation) }
  }

  /// Collects the edits of the mutation from the store. Must not call the app's code: the store is being
  /// accessed.
  @inlinable
  public func endEdits<Member>(of storage: inout Member, _ change: inout RecordedModification<Member>) {}

  /// Collects the edits from a recorded collection's journal.
  public func endEdits<Member: RecordedCollection>(
    of storage: inout Member, _ change: inout RecordedCollectionModification<Member>
  ) {
    guard let mutation = change.mutation else { return }
    defer { mutation.close() }
    // Edits are recorded here only if no observer of the standard library must be notified before.
    if !change.isWatched, !change.hidesParts, storage._$recordEdit(mutation) {
      change.isRecorded = true
      return
    }
    let edits = storage._$endEdits(mutation)
    if !change.hidesParts { change.edits = edits?.map(\.edit) }
  }

  /// Reports that the mutation announced by `willModify` is over; `change.isComplete` is false if it threw an
  /// error.
  @inlinable
  public func didModify<Subject: RecordedObject, Member>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, to new: Member,
    _ change: RecordedModification<Member>
  ) {
    if change.isWatched { notifyAfter(subject, keyPath()) }
    if change.state.attachment == nil { return }
    if let before = change.before {
      withUnsafePointer(to: new) { new in
        withUnsafePointer(to: before) { before in
          link.recordModification(
            Member.self, new, from: before, change.state, isComplete: change.isComplete, property: property)
        }
      }
    } else {
      withUnsafePointer(to: new) { new in
        link.recordModification(
          Member.self, new, from: nil, change.state, isComplete: change.isComplete, property: property)
      }
    }
  }

  /// Reports that a mutation in place of a recorded collection is over.
  public func didModify<Subject: RecordedObject, Member: RecordedCollection>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, to new: Member,
    _ change: RecordedCollectionModification<Member>
  ) {
    if change.isWatched { notifyAfter(subject, keyPath()) }
    guard let attachment = change.attachment else { return }
    defer { change.mutation?.finish() }
    if change.isRecorded { return }
    let engine = attachment.engine
    // The mutation replaced the whole collection.
    if change.edits == nil { engine.bindCollection(of: subject, attachment, property: property) }
    engine.recordEdits(
      change.edits, isComplete: change.isComplete, new, of: attachment, property: property)
  }
}

// MARK: Comparison

/// Sets of properties that ``Compared(by:)`` compares in another way than by the type's `==`.
extension RecordedRegistrar {
  /// Announces that the property is about to be set, which changes it unless `same` returns true.
  public func willSet<Subject: RecordedObject, Member>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, from old: Member,
    to new: Member, by same: (Member, Member) -> Bool
  ) -> RecordedChange<Member> {
    let areSame = Frame.untracked { same(old, new) }
    return announce(subject, keyPath, property, from: old, isSame: areSame, notifies: !areSame)
  }

  /// Announces that the property is about to be set, which changes it if the part at `key` differs.
  public func willSet<Subject: RecordedObject, Member, Key: Equatable>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>, property: Int, from old: Member,
    to new: Member, by key: KeyPath<Member, Key>
  ) -> RecordedChange<Member> {
    let areSame = Frame.untracked { isSame(old[keyPath: key], new[keyPath: key]) }
    return announce(subject, keyPath, property, from: old, isSame: areSame, notifies: !areSame)
  }
}

// MARK: Delaying projections

extension RecordedRegistrar {
  /// Delays projections until ``release(_:)``, while recording continues. A projection must not see an object
  /// after a store and before the end of the `didSet` that updates the rest of it.
  public func hold() -> RecordedHold {
    let engine = attachment?.engine
    engine?.hold()
    return RecordedHold(engine: engine)
  }

  /// Whether a mutation in place changed the value; true if no copy of the old value was kept.
  public func isChange<Member>(from old: Member?, to new: Member) -> Bool {
    guard let old else { return true }
    return Frame.untracked { !(isSame(old, new) ?? false) }
  }

  /// Ends a hold. If it was the outermost, runs what became out of date during it.
  public func release(_ hold: RecordedHold) { hold.engine?.release() }
}

/// The period from ``RecordedRegistrar/hold()`` to ``RecordedRegistrar/release(_:)``, in which no projection
/// runs.
public struct RecordedHold {
  let engine: Engine?
}

// MARK: Sets and mutations in progress

/// A set between `willSet` and `didSet`. Only ``RecordedRegistrar`` creates and uses it.
public struct RecordedChange<Member> {
  @usableFromInline let isSame: Bool
  /// Whether the set counts as a change.
  public var isChange: Bool { !isSame }
  /// Whether the standard library's observers were notified.
  @usableFromInline let isWatched: Bool
  /// The value before; nil if the session does not need it.
  @usableFromInline let before: Member?
  /// The ``Attachment/recordCount`` when the value before was read.
  @usableFromInline let recordCount: UInt64
  /// Whether `isSame` is the result of the app's own `==`.
  @usableFromInline var isComparable = true

  @inlinable
  init(isSame: Bool, isWatched: Bool, before: Member?, recordCount: UInt64) {
    self.isSame = isSame
    self.isWatched = isWatched
    self.before = before
    self.recordCount = recordCount
  }
}

/// A mutation in place between `willModify` and `didModify`. Only ``RecordedRegistrar`` creates and uses it,
/// except that an accessor sets ``isComplete``.
public struct RecordedModification<Member> {
  /// Whether the mutation returned; false if it threw an error.
  public var isComplete = false

  @usableFromInline let state: Link.StateBefore
  /// Whether the standard library's observers were notified.
  @usableFromInline let isWatched: Bool
  /// The value before, if the session's own copy is not enough.
  @usableFromInline let before: Member?

  @inlinable
  init(state: Link.StateBefore, isWatched: Bool, before: Member?) {
    self.state = state
    self.isWatched = isWatched
    self.before = before
  }
}

/// A mutation of a recorded collection in place, as ``RecordedModification``.
public struct RecordedCollectionModification<Member> {
  /// Whether the mutation returned; false if it threw an error.
  public var isComplete = false

  /// Whether the standard library's observers were notified.
  var isWatched = false
  /// Whether the log must not name parts of the value.
  var hidesParts = false
  /// The attachment to the session that records the object, if any.
  let attachment: Attachment?
  /// The mutation, while it keeps a journal.
  var mutation: CollectionMutation?
  /// The edits from the journal; nil if another collection replaced the one with the journal.
  var edits: [Edit]?
  /// Whether the edits are recorded already.
  var isRecorded = false

  init(attachment: Attachment?) { self.attachment = attachment }
}

// MARK: Conformances

// The compiler may synthesize the `Codable` or `Hashable` conformance of a class from all its stored
// properties. The properties that the macro adds therefore encode nothing, not even a key, and are always
// equal.

extension RecordedRegistrar: Codable, Hashable {
  /// The registrar of a new object; decodes nothing.
  public init(from decoder: any Decoder) { self.init() }

  /// Encodes nothing.
  public func encode(to encoder: any Encoder) {}

  /// Always true.
  public static func == (a: RecordedRegistrar, b: RecordedRegistrar) -> Bool { true }

  /// Adds nothing.
  public func hash(into hasher: inout Hasher) {}
}

extension KeyedEncodingContainer {
  /// Encodes nothing, not even the key. Synthesized code calls this method, because it is more specific than
  /// the one for any `Encodable`.
  public mutating func encode(_ value: RecordedRegistrar, forKey key: Key) throws {}
}
