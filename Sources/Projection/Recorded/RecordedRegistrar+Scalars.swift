import EventLog

// Sets of the most common types are separate from the generic ones, because unoptimized generic code looks up
// the metadata of each dependent type that it uses. That took two thirds of the time of a set.

/// A set of a number or a Boolean between `willSet` and `didSet`. Only ``RecordedRegistrar`` makes and uses
/// it.
public struct RecordedScalarChange {
  @usableFromInline let isSame: Bool
  /// Whether the set counts as a change.
  public var isChange: Bool { !isSame }
  /// Whether the standard library's observers were notified.
  @usableFromInline let isWatched: Bool

  @usableFromInline
  init(isSame: Bool, isWatched: Bool) {
    self.isSame = isSame
    self.isWatched = isWatched
  }
}

extension RecordedRegistrar {
  /// Announces that the property is about to be set.
  @inlinable
  public func willSet<Subject: RecordedObject>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Int>, property: Int, from old: Int,
    to new: Int
  ) -> RecordedScalarChange {
    announceScalar(subject, keyPath, property, isSame: old == new, notifies: old != new)
  }

  /// Reports that the value announced by `willSet` is stored.
  @inlinable
  public func didSet<Subject: RecordedObject>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Int>, property: Int, to new: Int,
    _ change: RecordedScalarChange
  ) {
    if change.isWatched { notifyAfter(subject, keyPath()) }
    link.record(.int(Int64(new)), isSame: change.isSame, property: property)
  }

  /// Announces that the property is about to be set.
  @inlinable
  public func willSet<Subject: RecordedObject>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Double>, property: Int, from old: Double,
    to new: Double
  ) -> RecordedScalarChange {
    // NaN counts as the same as NaN in the log, but not for observers.
    announceScalar(
      subject, keyPath, property, isSame: old == new || old.isNaN && new.isNaN, notifies: old != new)
  }

  /// Reports that the value announced by `willSet` is stored.
  @inlinable
  public func didSet<Subject: RecordedObject>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Double>, property: Int, to new: Double,
    _ change: RecordedScalarChange
  ) {
    if change.isWatched { notifyAfter(subject, keyPath()) }
    link.record(.double(new), isSame: change.isSame, property: property)
  }

  /// Announces that the property is about to be set.
  @inlinable
  public func willSet<Subject: RecordedObject>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Bool>, property: Int, from old: Bool,
    to new: Bool
  ) -> RecordedScalarChange {
    announceScalar(subject, keyPath, property, isSame: old == new, notifies: old != new)
  }

  /// Reports that the value announced by `willSet` is stored.
  @inlinable
  public func didSet<Subject: RecordedObject>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Bool>, property: Int, to new: Bool,
    _ change: RecordedScalarChange
  ) {
    if change.isWatched { notifyAfter(subject, keyPath()) }
    link.record(.bool(new), isSame: change.isSame, property: property)
  }

  /// Notifies the standard library's observers of a set.
  @inlinable
  func announceScalar<Subject: RecordedObject, Member>(
    _ subject: Subject, _ keyPath: () -> KeyPath<Subject, Member>, _ property: Int, isSame: Bool,
    notifies: Bool
  ) -> RecordedScalarChange {
    let isWatched = notifies && link.isWatched(property)
    if isWatched { notifyBefore(subject, keyPath()) }
    return RecordedScalarChange(isSame: isSame, isWatched: isWatched)
  }
}

// MARK: Mutations in place

// `count += 1` needs neither the form of its type nor the recorded value before: it is a set once it is done.
extension RecordedRegistrar {
  /// Announces a mutation of the property in place, whose value is `old`. Also registers a read.
  @inlinable
  public func willModify<Subject: RecordedObject>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Int>, property: Int, from old: Int
  ) -> RecordedModification<Int> {
    announceScalarModification(subject, keyPath, property, from: old)
  }

  /// Reports that the mutation announced by `willModify` is over.
  @inlinable
  public func didModify<Subject: RecordedObject>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Int>, property: Int, to new: Int,
    _ change: RecordedModification<Int>
  ) {
    if change.isWatched { notifyAfter(subject, keyPath()) }
    if let isSame = change.isSame(new == change.before) {
      link.record(.int(Int64(new)), isSame: isSame, after: change.state, property: property)
    }
  }

  /// Announces a mutation of the property in place, whose value is `old`. Also registers a read.
  @inlinable
  public func willModify<Subject: RecordedObject>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Double>, property: Int, from old: Double
  ) -> RecordedModification<Double> {
    announceScalarModification(subject, keyPath, property, from: old)
  }

  /// Reports that the mutation announced by `willModify` is over.
  @inlinable
  public func didModify<Subject: RecordedObject>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Double>, property: Int, to new: Double,
    _ change: RecordedModification<Double>
  ) {
    if change.isWatched { notifyAfter(subject, keyPath()) }
    if let isSame = change.isSame(new == change.before || new.isNaN && change.before?.isNaN == true) {
      link.record(.double(new), isSame: isSame, after: change.state, property: property)
    }
  }

  /// Announces a mutation of the property in place, whose value is `old`. Also registers a read.
  @inlinable
  public func willModify<Subject: RecordedObject>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Bool>, property: Int, from old: Bool
  ) -> RecordedModification<Bool> {
    announceScalarModification(subject, keyPath, property, from: old)
  }

  /// Reports that the mutation announced by `willModify` is over.
  @inlinable
  public func didModify<Subject: RecordedObject>(
    _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Bool>, property: Int, to new: Bool,
    _ change: RecordedModification<Bool>
  ) {
    if change.isWatched { notifyAfter(subject, keyPath()) }
    if let isSame = change.isSame(new == change.before) {
      link.record(.bool(new), isSame: isSame, after: change.state, property: property)
    }
  }

  /// Notifies the standard library's observers of a mutation, and registers a read.
  @inlinable
  func announceScalarModification<Subject: RecordedObject, Member>(
    _ subject: Subject, _ keyPath: () -> KeyPath<Subject, Member>, _ property: Int, from old: Member
  ) -> RecordedModification<Member> {
    let state = link.stateBeforeScalarModification
    registerObserved(subject, keyPath(), property)
    let isWatched = link.isWatched(property)
    if isWatched { notifyBefore(subject, keyPath()) }
    return RecordedModification(state: state, isWatched: isWatched, before: old)
  }
}

extension RecordedModification {
  /// Whether the mutation is recorded as a set to the same value; nil if it is not recorded, because it threw before
  /// it changed anything.
  @inlinable
  func isSame(_ isSame: Bool) -> Bool? { isSame && !isComplete ? nil : isSame }
}
