import EventLog

/// A collection that reports what is read of it and what is done to it, element by element.
///
/// Its own accessors register reads, so the property that holds it registers none of its own. While the
/// property is being mutated in place it keeps a journal, from which the edits are recorded.
public protocol RecordedCollection {
  /// The place that holds the collection, once its object is attached. Copies keep it.
  var anchor: Anchor? { get set }

  /// Makes this the collection that is stored at a place.
  mutating func _$bind(to anchor: Anchor)

  /// Starts to keep a journal.
  mutating func _$beginEdits(_ mutation: CollectionMutation)

  /// Stops, and gives what was done, or nil when the journal does not tell the whole story: another collection
  /// was put in the place of the one that began it.
  mutating func _$endEdits(_ mutation: CollectionMutation) -> [CollectionEdit]?

  /// Ends the journal and records what was done if that can be done at once, as a change of one part of one element.
  mutating func _$recordEdit(_ mutation: CollectionMutation) -> Bool
}

extension RecordedCollection {
  /// It cannot.
  public mutating func _$recordEdit(_ mutation: CollectionMutation) -> Bool { false }
}

/// One mutation in place of a recorded collection, from before it begins until it is recorded.
///
/// Nothing runs meanwhile: a projection that read the collection while it is being mutated would violate the
/// exclusive access to it, and closures handed to the mutation may set other properties.
public final class CollectionMutation {
  let engine: Engine
  private let attachment: Attachment
  private let property: Int
  /// Cleared at the end: a copy of the collection that outlives the mutation keeps no journal.
  private(set) var isOpen = true
  private var hasTransaction = false

  /// Whether the log must not hold the elements.
  private let isRedacted: Bool

  init(of attachment: Attachment, property: Int, isRedacted: Bool) {
    self.attachment = attachment
    self.property = property
    engine = attachment.engine
    self.isRedacted = isRedacted
    engine.hold()
  }

  /// Makes what follows, until the mutation is recorded, one transaction with it.
  func makeTransaction(_ label: String, site: String) {
    if hasTransaction { return }
    hasTransaction = true
    engine.beginTransaction(label, site: site)
  }

  /// Ends the journals: the store is no longer being accessed once this returns.
  func close() { isOpen = false }

  /// Runs what has become out of date, once the edits are recorded.
  func finish() {
    if hasTransaction { engine.endTransaction() }
    engine.release()
  }

  /// Records a change of one element, if there is a quick way to do so.
  func record<Element>(_ element: UnsafePointer<Element>, at index: Int) -> Bool {
    engine.recordElement(element, at: index, of: attachment, property: property)
  }

  /// What the log holds of an element.
  func encode<T>(_ element: T) -> Value { isRedacted ? .redacted : engine.encodeElement(element) }
}

/// What was done to a recorded collection. Made and read by the runtime alone.
public struct CollectionEdit {
  let edit: Edit
}

/// Registers a read of all of a value that registers what is read of it itself, for who takes it as a whole; or of all
/// such values in an optional or a plain collection. What a struct or a tuple holds is not looked for.
func noteReadOfAll<Value>(of value: Value) {
  if let anchor = (value as? any RecordedCollection)?.anchor {
    anchor.noteReadOfAll()
  } else if let holder = value as? any CollectionHolder, holdsCollections(type(of: holder).heldType) {
    holder.noteReadOfAllHeld()
  }
}

/// Whether there is anything to register for a value of the type: see ``noteReadOfAll(of:)``.
func holdsCollections(_ type: Any.Type) -> Bool {
  if type is any RecordedCollection.Type { return true }
  return (type as? any CollectionHolder.Type).map { holdsCollections($0.heldType) } ?? false
}

/// A value in which recorded collections are looked for. A recorded collection is one too: what an algorithm made of
/// others has no place of its own.
protocol CollectionHolder {
  static var heldType: Any.Type { get }
  func noteReadOfAllHeld()
}

extension CollectionHolder where Self: Sequence {
  static var heldType: Any.Type { Element.self }
  func noteReadOfAllHeld() { for element in self { noteReadOfAll(of: element) } }
}

extension Array: CollectionHolder {}
extension ArraySlice: CollectionHolder {}
extension ContiguousArray: CollectionHolder {}
extension RecordedArray: CollectionHolder {}

extension Dictionary: CollectionHolder {
  static var heldType: Any.Type { Value.self }
  func noteReadOfAllHeld() { values.noteReadOfAllHeld() }
}

extension Dictionary.Values: CollectionHolder {}

extension RecordedDictionary: CollectionHolder {
  static var heldType: Any.Type { Value.self }
  func noteReadOfAllHeld() { values.noteReadOfAllHeld() }
}

extension Optional: CollectionHolder {
  static var heldType: Any.Type { Wrapped.self }
  func noteReadOfAllHeld() { if let self { noteReadOfAll(of: self) } }
}
