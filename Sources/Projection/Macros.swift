@_exported import Observation

/// Makes a class a recorded model: observable like an `@Observable` class, and logged by the sessions that
/// its objects are attached to.
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
/// ``RecordedIgnored()``, are left alone. `willSet` and `didSet` keep working; a property set from within its
/// own observer is stored and recorded, and does not run the observer again.
///
/// Works for generic classes, for classes isolated to an actor, and for subclasses of recorded classes (mark
/// each class whose own properties should be tracked). A `lazy` or wrapped property is an error: mark it
/// ``RecordedIgnored()``.
///
/// An object that is attached to no session costs and behaves as an `@Observable` one.
@attached(
  member, conformances: RecordedObject, names: named(_$recorded), named(_$properties), named(_$propertyCount),
  named(_$observers), named(_$first), named(_$read), named(_$readStored), named(_$write),
  named(_$writeStored),
  named(_$create), named(_$createStored), named(_$visit), named(_$visitStored)
)
@attached(memberAttribute)
@attached(extension, conformances: RecordedObject)
public macro Recorded() = #externalMacro(module: "RecordedMacros", type: "RecordedClassMacro")

/// Tracks one stored property. Written by ``Recorded()``; there is no need to write it yourself.
///
/// - Parameter number: The position of the property among those its class logs.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_))
public macro RecordedProperty(_ number: Int) =
  #externalMacro(module: "RecordedMacros", type: "RecordedPropertyMacro")

/// Tracks one stored property of a class that may have a recorded superclass. Written by ``Recorded()``.
///
/// - Parameter own: The position of the property among those its class logs, not counting its superclass's.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_))
public macro RecordedProperty(own: Int) =
  #externalMacro(module: "RecordedMacros", type: "RecordedPropertyMacro")

/// Leaves a stored property of a ``Recorded()`` class alone: not tracked, not logged.
@attached(peer)
public macro RecordedIgnored() = #externalMacro(module: "RecordedMacros", type: "MarkerMacro")

/// Keeps the value of a property out of the log.
///
/// The property is tracked like any other, and its changes are events; the log only ever says that there is
/// a value, never which.
@attached(peer)
public macro Redacted() = #externalMacro(module: "RecordedMacros", type: "MarkerMacro")
