import EventLog

/// A collection that registers reads and reports mutations by element: ``RecordedArray`` and
/// ``RecordedDictionary``.
///
/// Its accessors register reads, so the property that holds it registers none. While the property is mutated
/// in place, the collection keeps a journal of the edits, from which they are recorded.
public protocol RecordedCollection {
  /// The place of the collection, once its object is attached. Copies keep it.
  var anchor: Anchor? { get set }

  /// Makes this the collection that is stored at an anchor.
  mutating func _$bind(to anchor: Anchor)

  /// Starts a journal.
  mutating func _$beginEdits(_ mutation: CollectionMutation)

  /// Ends the journal and returns its edits. Nil if another collection has replaced the one that began the
  /// journal, so that the edits do not produce the present value.
  mutating func _$endEdits(_ mutation: CollectionMutation) -> [CollectionEdit]?

  /// Ends the journal and records its edit, if that changes one part of one element and can be recorded at
  /// once.
  ///
  /// Otherwise returns false and leaves the journal open.
  mutating func _$recordEdit(_ mutation: CollectionMutation) -> Bool
}

extension RecordedCollection {
  /// Returns false: by default all edits are recorded together.
  public mutating func _$recordEdit(_ mutation: CollectionMutation) -> Bool { false }
}

/// A mutation of a recorded collection in place, from before it begins until it is recorded.
///
/// No projection runs meanwhile, because one that reads the collection would violate exclusive access to it.
/// Closures that are passed to the mutation may set other properties, and so invalidate projections.
public final class CollectionMutation {
  private let engine: Engine
  private let attachment: Attachment
  private let property: Int
  /// False once the mutation is over. A copy of the collection that outlives it then keeps no journal.
  private(set) var isOpen = true
  private var hasTransaction = false

  /// Whether the log must not hold the elements.
  private let hidesParts: Bool

  init(of attachment: Attachment, property: Int, hidesParts: Bool) {
    self.attachment = attachment
    self.property = property
    engine = attachment.engine
    self.hidesParts = hidesParts
    engine.hold()
  }

  /// Opens a transaction, unless there is one, which ends when the mutation is recorded.
  func makeTransaction(_ label: String, site: String) {
    if hasTransaction { return }
    hasTransaction = true
    engine.beginTransaction(label, site: site)
  }

  /// Closes the journals. The store is not being accessed after this.
  func close() { isOpen = false }

  /// Runs what is out of date. Call it after the edits were recorded.
  func finish() {
    if hasTransaction { engine.endTransaction() }
    engine.release()
  }

  /// Records the change of one element if the engine can do so at once; returns false otherwise.
  func record(_ element: UnsafeRawPointer, as type: Any.Type, at index: Int) -> Bool {
    engine.recordElement(element, as: type, at: index, of: attachment, property: property)
  }

  /// The recorded form of an element.
  func encode<T>(_ element: T) -> Value { hidesParts ? .redacted : engine.encodeElement(element) }
}

/// An edit of a recorded collection. Only the library creates and uses it.
public struct CollectionEdit {
  let edit: Edit
}

/// Registers a read of a whole recorded collection, for a reader that uses the value as a whole. It also
/// finds recorded collections in optionals and plain collections, but not in structs or tuples.
func registerReadOfAll<Value>(of value: Value) {
  if let anchor = (value as? any RecordedCollection)?.anchor {
    anchor.registerReadOfAll()
  } else if let holder = value as? any CollectionHolder, holdsCollections(type(of: holder).heldType) {
    holder.registerReadOfAllHeld()
  }
}

/// Whether ``registerReadOfAll(of:)`` may register a read for values of the type.
func holdsCollections(_ type: Any.Type) -> Bool {
  if type is any RecordedCollection.Type { return true }
  return (type as? any CollectionHolder.Type).map { holdsCollections($0.heldType) } ?? false
}

/// A type in which ``registerReadOfAll(of:)`` finds recorded collections. Recorded collections conform, too,
/// because the result of an algorithm on one has no anchor.
protocol CollectionHolder {
  static var heldType: Any.Type { get }
  func registerReadOfAllHeld()
}

extension CollectionHolder where Self: Sequence {
  static var heldType: Any.Type { Element.self }
  func registerReadOfAllHeld() { for element in self { registerReadOfAll(of: element) } }
}

extension Array: CollectionHolder {}
extension ArraySlice: CollectionHolder {}
extension ContiguousArray: CollectionHolder {}
extension RecordedArray: CollectionHolder {}

extension Dictionary: CollectionHolder {
  static var heldType: Any.Type { Value.self }
  func registerReadOfAllHeld() { values.registerReadOfAllHeld() }
}

extension Dictionary.Values: CollectionHolder {}

extension RecordedDictionary: CollectionHolder {
  static var heldType: Any.Type { Value.self }
  func registerReadOfAllHeld() { values.registerReadOfAllHeld() }
}

extension Optional: CollectionHolder {
  static var heldType: Any.Type { Wrapped.self }
  func registerReadOfAllHeld() { if let self { registerReadOfAll(of: self) } }
}
