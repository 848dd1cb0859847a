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
