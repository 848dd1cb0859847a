// An app imports only this module, so the names from the log that an app writes itself are exported here. The
// others are not, because `State` and `Path` would conflict with SwiftUI's types.
@_exported import class EventLog.FlightRecorder
@_exported import enum EventLog.Durability
@_exported import enum EventLog.Tracking
@_exported import struct EventLog.LogError
@_exported import struct EventLog.LogOptions
@_exported import Observation

/// Makes a class a recorded model: observable like an `@Observable` class, and recorded by the session to
/// which an object of the class is attached.
///
///     @Recorded final class Store {
///       var rows: RecordedArray<Row> = []
///       var isLoading = false
///       let id: Int
///       @RecordedIgnored var scratch = Data()
///       @Redacted var token = ""
///     }
///
/// Every stored `var` is tracked: the macro turns it into accessors over a private store of the same type.
/// A stored `let` is logged with the object. Computed and static properties, and those marked
/// ``RecordedIgnored()`` or `@ObservationIgnored`, are left alone. `willSet` and `didSet` run as with
/// `@Observable`: an observer that changes its own property runs again. If it sets the property to an equal
/// value, it does not.
///
/// Works for generic classes, for classes isolated to an actor, and for subclasses of recorded classes (mark
/// each class whose own properties should be tracked). A `lazy` or wrapped property is an error: mark it
/// ``RecordedIgnored()``. Anything that `@Observable` allows in a class is allowed. To restore objects of a
/// generic class whose parameters have constraints, pass a ``RestorableType`` that makes them, unless the class
/// has a global actor as an attribute or its parameters are `Sendable`.
///
/// An object that is attached to no session costs as much and behaves as an `@Observable` object.
@attached(
  member, conformances: RecordedObject, names: named(_$recorded), named(_$properties), named(_$propertyCount),
  named(_$observers), named(_$first), named(_$read), named(_$readStored), named(_$write),
  named(_$writeStored),
  named(_$create), named(_$createStored), named(_$visit), named(_$visitStored)
)
@attached(memberAttribute)
@attached(extension, conformances: RecordedObject)
public macro Recorded() = #externalMacro(module: "RecordedMacros", type: "RecordedClassMacro")

/// Tracks one stored property. ``Recorded()`` adds it; there is no need to write it yourself.
///
/// - Parameter number: The index of the property among those its class logs.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_))
public macro RecordedProperty(_ number: Int) =
  #externalMacro(module: "RecordedMacros", type: "RecordedPropertyMacro")

/// Tracks one stored property of a class that may have a recorded superclass. ``Recorded()`` adds it.
///
/// - Parameter own: The index of the property among those its class logs, not counting its superclass's.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_))
public macro RecordedProperty(own: Int) =
  #externalMacro(module: "RecordedMacros", type: "RecordedPropertyMacro")

/// Excludes a stored property of a ``Recorded()`` class: it is neither tracked nor logged.
@attached(peer)
public macro RecordedIgnored() = #externalMacro(module: "RecordedMacros", type: "MarkerMacro")

/// Keeps the value of a property out of the log.
///
/// The property is tracked like any other, and its sets are events, but the log contains only that it has a
/// value: not the value, nor its length, nor whether a set changed it. So every set counts as a change, and
/// invalidates the projections that read the property; `onChange` still calls its action only if the value
/// differs. Values that a derived value computes from it are kept out of the log as well.
///
/// Objects that can be reached only through the property are part of the secret: the session does not record
/// them, and its projections do not track them.
@attached(peer)
public macro Redacted() = #externalMacro(module: "RecordedMacros", type: "MarkerMacro")

/// Keeps the value of a property out of the log, or records only a hash of it; see ``Redaction``.
///
///     @Redacted(.hashed) var token = ""     // equal values can be seen to be equal
@attached(peer)
public macro Redacted(_ redaction: Redaction) =
  #externalMacro(module: "RecordedMacros", type: "MarkerMacro")

/// Defines whether a set of a property changes it, for a type that is not `Equatable` or whose `==` is not
/// suitable. Without it every set of a property with a type that is not `Equatable` counts as a change.
///
///     @Compared(by: \Shape.id) var shape = Shape()
///     @Compared(by: { (a: Shape, b: Shape) in a.area == b.area }) var other = Shape()
///     @Compared(by: Shape.looksLike) var third = Shape()
///
/// A set to a value that counts as the same is stored and recorded as same-value, and invalidates no reader.
/// Mutations of the property change a copy, and are not done in place.
@attached(peer)
public macro Compared<Value>(by same: (Value, Value) -> Bool) =
  #externalMacro(module: "RecordedMacros", type: "MarkerMacro")

/// Defines the part of a property's value that must differ for a set to count as a change; see
/// ``Compared(by:)``.
@attached(peer)
public macro Compared<Value, Key: Equatable>(by key: KeyPath<Value, Key>) =
  #externalMacro(module: "RecordedMacros", type: "MarkerMacro")
