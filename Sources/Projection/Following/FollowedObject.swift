import EventLog
import Observation

/// An object whose class knows nothing of recording. The session records it by what the standard library, or the object's
/// publisher, announces.
///
/// Guarded by the session's lock, but for constants. The object itself is used only in its isolation.
///
/// To those who change recorded objects, it is the recorded object.
final class FollowedObject: @unchecked Sendable {
  let _$recorded = RecordedRegistrar()
  /// The name of the object's class.
  let typeName: String
  let attachment: Attachment
  /// The name of the root in the log.
  let name: String
  /// The actor that the object belongs to; nil if it belongs to none.
  let isolation: (any Actor)?
  private weak var object: AnyObject?
  let properties: [any FollowedProperty]
  /// What keeps up the notices of an object that has a publisher; nil for one that is `Observable`.
  private var subscription: Any?
  private let isPublished: Bool
  private(set) var isOver = false
  /// Whether it is in the log.
  var isDefined = false
  /// Whether its notices may be taken: what changes while it is read for the first time waits until it is in the log.
  var hasBegun: Bool { isDefined || isOver }

  init(
    _ object: AnyObject, as name: String, _ properties: [any FollowedProperty], isPublished: Bool,
    isolation: (any Actor)?, _ attachment: Attachment
  ) {
    self.object = object
    self.name = name
    self.properties = properties
    self.isPublished = isPublished
    self.isolation = isolation
    typeName = "\(type(of: object))"
    self.attachment = attachment
    _$recorded.attach(attachment)
  }

  /// The object; nil if the app has released it.
  var followedSubject: AnyObject? { isOver ? nil : object }

  /// Reads a property, and observes its next change. Call it in the object's isolation, outside of observations and outside
  /// the lock, since a getter is code of the app.
  ///
  /// - Parameter object: ``followedSubject``.
  func look(at property: Int, of object: AnyObject) -> any FollowedValue {
    properties[property].look(at: object) { observe(property, $0) }
  }

  /// The recorded form of what was read of all its properties.
  func fields(_ values: [any FollowedValue], in context: inout EncodingContext) -> NamedValues<Value> {
    var fields = NamedValues<Value>(minimumCapacity: properties.count)
    for (property, value) in zip(properties, values) { fields[property.name] = value.encode(in: &context) }
    return fields
  }

  /// Observes the next change of a property.
  private func observe(_ property: Int, _ read: () -> Void) {
    if isPublished { return read() }
    withObservationTracking(read) { [self] in attachment.engine.notice(changeOf: self, property) }
  }

  /// Begins to listen to the object's publisher.
  ///
  /// - Parameter subscribe: Subscribes a closure to its changes, and returns what keeps up the subscription.
  func listen(_ subscribe: (_ notice: @escaping @Sendable () -> Void) -> Any) {
    subscription = subscribe { [weak self] in
      guard let self else { return }
      for property in properties.indices { attachment.engine.notice(changeOf: self, property) }
    }
  }

  /// Ends the following. One more notice may come for each property, and is ignored.
  func end() {
    isOver = true
    subscription = nil
  }
}

extension FollowedObject: RecordedObject {
  static var _$properties: [RecordedPropertyDescriptor] { [] }
  static var _$propertyCount: Int { 0 }
  static func _$create(from source: RecordedObjectSource) throws -> (any RecordedObject)? { nil }

  func _$read(property: Int, into reader: any RecordedPropertyReader) -> Bool {
    guard let object = followedSubject else { return false }
    Frame.untracked { properties[property].read(object, into: reader) }
    return true
  }

  /// Sets the property as the app would, and does not record that.
  func _$write(property: Int, from writer: any RecordedPropertyWriter) -> Bool {
    guard let object = followedSubject, properties[property].isVariable else { return false }
    Frame.untracked { properties[property].write(object, from: writer) }
    attachment.engine.adoptChange(of: self, property)
    return true
  }

  func _$visit(property: Int, by visitor: any RecordedPropertyVisitor) -> Bool {
    guard followedSubject != nil, properties[property].isVariable else { return false }
    properties[property].visit(self, property, visitor)
    return true
  }

  /// The value of a property, for key paths.
  fileprivate subscript<Member>(place: FollowedPlace<Member>) -> Member {
    guard let value = followedSubject.map({ properties[place.property].value(of: $0) }) as? Member else {
      preconditionFailure("\(name) has no value at \(properties[place.property].name)")
    }
    return value
  }
}

/// Which property a key path of a followed object leads to.
private struct FollowedPlace<Member>: Hashable {
  let property: Int
}

/// A property of one followed object.
protocol FollowedProperty: AnyObject {
  var name: String { get }
  var keyPath: AnyKeyPath { get }
  /// Whether the app can set it.
  var isVariable: Bool { get }

  /// Reads the value within `observe`.
  func look(at object: AnyObject, _ observe: (() -> Void) -> Void) -> any FollowedValue

  func value(of object: AnyObject) -> Any
  func read(_ object: AnyObject, into reader: any RecordedPropertyReader)
  func write(_ object: AnyObject, from writer: any RecordedPropertyWriter)
  func visit(_ followed: FollowedObject, _ number: Int, _ visitor: any RecordedPropertyVisitor)
}

/// A value that was read of a followed property, and is not recorded yet. Use it under the lock.
protocol FollowedValue {
  /// Keeps the value as the last one, which was recorded in another way.
  func keep()

  /// Its recorded form.
  func encode(in context: inout EncodingContext) -> Value

  /// Records it as a set.
  func record(of attachment: Attachment, property: Int)
}

/// The properties at the ends of key paths.
func followedProperties<Object: AnyObject, each Member>(
  at keyPaths: repeat KeyPath<Object, each Member>
) -> [any FollowedProperty] {
  var all: [any FollowedProperty] = []
  for keyPath in repeat each keyPaths {
    all.append(FollowedMember(keyPath, named: text(of: keyPath) ?? "property\(all.count + 1)"))
  }
  return all
}

/// A property whose type is known.
private final class FollowedMember<Object: AnyObject, Member>: FollowedProperty {
  let name: String
  var keyPath: AnyKeyPath { path }
  private let path: KeyPath<Object, Member>
  private let variable: ReferenceWritableKeyPath<Object, Member>?
  /// The value that was recorded last, if that is a scalar, which costs nothing to keep. Guarded by the session's lock.
  private var last: Value?

  init(_ path: KeyPath<Object, Member>, named name: String) {
    self.path = path
    variable = path as? ReferenceWritableKeyPath<Object, Member>
    self.name = name
  }

  var isVariable: Bool { variable != nil }

  private func current(_ object: AnyObject) -> Member {
    unsafeDowncast(object, to: Object.self)[keyPath: path]
  }

  /// A value that was read.
  private struct Read: FollowedValue {
    let property: FollowedMember
    let value: Member

    func keep() { property.last = RecordedScalar(value)?.value }

    func encode(in context: inout EncodingContext) -> Value {
      keep()
      return context.encode(value)
    }

    func record(of attachment: Attachment, property number: Int) {
      let scalar = RecordedScalar(value)?.value
      if let scalar, let before = property.last {
        attachment.engine.set(scalar, isSame: scalar == before, of: attachment, property: number)
      } else {
        attachment.engine.recordSet(value, isSame: nil, of: attachment, property: number)
      }
      property.last = scalar
    }
  }

  func look(at object: AnyObject, _ observe: (() -> Void) -> Void) -> any FollowedValue {
    var value: Member?
    observe { value = current(object) }
    guard let value else { preconditionFailure("\(name) was not read") }
    return Read(property: self, value: value)
  }

  func value(of object: AnyObject) -> Any { current(object) }

  func read(_ object: AnyObject, into reader: any RecordedPropertyReader) {
    reader.read(current(object))
  }

  func write(_ object: AnyObject, from writer: any RecordedPropertyWriter) {
    guard let variable else { return }
    var value = current(object)
    writer.write(&value)
    unsafeDowncast(object, to: Object.self)[keyPath: variable] = value
  }

  func visit(_ followed: FollowedObject, _ number: Int, _ visitor: any RecordedPropertyVisitor) {
    visitor.visit(followed, \FollowedObject.[FollowedPlace<Member>(property: number)])
  }
}
