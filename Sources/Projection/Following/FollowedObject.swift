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
  let properties: [FollowedProperty]
  /// What keeps up the notices of an object that has a publisher; nil for one that is `Observable`.
  private var subscription: Any?
  private let isPublished: Bool
  private(set) var isOver = false

  init(
    _ object: AnyObject, as name: String, _ properties: [FollowedProperty], isPublished: Bool,
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

  /// The recorded form of its properties, which are observed from now on. Call it in the object's isolation.
  func fields(in context: inout EncodingContext) -> NamedValues<Value> {
    var fields = NamedValues<Value>(minimumCapacity: properties.count)
    guard let object = followedSubject else { return fields }
    for number in properties.indices {
      fields[properties[number].name] = observe(number) { properties[number].encode(object, &context) }
    }
    return fields
  }

  /// Records the present value of a property, and observes it further. Call it in the object's isolation, outside of
  /// observations.
  func record(_ property: Int) {
    guard let object = followedSubject else { return }
    // The value is recorded after the observation has ended, since encoding it reads more.
    observe(property) { properties[property].read(object) }(attachment, property)
  }

  /// Observes a property further whose new value was recorded in another way.
  func observeAgain(_ property: Int) {
    guard let object = followedSubject else { return }
    _ = observe(property) { properties[property].read(object) }
  }

  private func observe<R>(_ property: Int, _ read: () -> R) -> R {
    if isPublished { return read() }
    return withObservationTracking(read) { [self] in
      attachment.engine.notice(changeOf: self, property)
    }
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

  /// Ends the following. Each property is told of once more, or never, which means nothing then.
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
    Frame.untracked { properties[property].pass(object, reader) }
    return true
  }

  /// Sets the property as the app would, and does not record that.
  func _$write(property: Int, from writer: any RecordedPropertyWriter) -> Bool {
    guard let object = followedSubject, let change = properties[property].change else { return false }
    Frame.untracked { change(object, writer) }
    attachment.engine.adoptChange(of: self, property)
    return true
  }

  func _$visit(property: Int, by visitor: any RecordedPropertyVisitor) -> Bool {
    guard followedSubject != nil, properties[property].change != nil else { return false }
    properties[property].visit(self, property, visitor)
    return true
  }

  /// The value of a property, for key paths.
  fileprivate subscript<Member>(place: FollowedPlace<Member>) -> Member {
    guard let value = followedSubject.map(properties[place.property].value) as? Member else {
      preconditionFailure("\(name) has no value at \(properties[place.property].name)")
    }
    return value
  }
}

/// Which property a key path of a followed object leads to.
private struct FollowedPlace<Member>: Hashable {
  let property: Int
}

/// A property of a followed object.
struct FollowedProperty {
  let name: String
  let keyPath: AnyKeyPath
  /// The recorded form of its value.
  let encode: (AnyObject, inout EncodingContext) -> Value
  /// Its value, as a closure that records it as the value of a property.
  let read: (AnyObject) -> (Attachment, Int) -> Void
  fileprivate let value: (AnyObject) -> Any
  fileprivate let pass: (AnyObject, any RecordedPropertyReader) -> Void
  fileprivate let change: ((AnyObject, any RecordedPropertyWriter) -> Void)?
  fileprivate let visit: (FollowedObject, Int, any RecordedPropertyVisitor) -> Void

  /// - Parameter fallback: The name if that of the key path cannot be found.
  init<Object: AnyObject, Member>(_ keyPath: KeyPath<Object, Member>, or fallback: String) {
    func current(_ object: AnyObject) -> Member { unsafeDowncast(object, to: Object.self)[keyPath: keyPath] }
    name = text(of: keyPath) ?? fallback
    self.keyPath = keyPath
    encode = { object, context in context.encode(current(object)) }
    read = { object in
      let value = current(object)
      return { attachment, property in
        attachment.engine.recordSet(value, isSame: nil, of: attachment, property: property)
      }
    }
    value = { current($0) }
    pass = { $1.read(current($0)) }
    change = (keyPath as? ReferenceWritableKeyPath<Object, Member>).map { keyPath in
      { object, writer in
        var value = current(object)
        writer.write(&value)
        unsafeDowncast(object, to: Object.self)[keyPath: keyPath] = value
      }
    }
    visit = { $2.visit($0, \FollowedObject.[FollowedPlace<Member>(property: $1)]) }
  }

  /// The properties at the ends of key paths.
  static func all<Object: AnyObject, each Member>(of keyPaths: repeat KeyPath<Object, each Member>) -> [Self] {
    var all: [Self] = []
    for keyPath in repeat each keyPaths { all.append(Self(keyPath, or: "property\(all.count + 1)")) }
    return all
  }

  /// Whether the app can set it.
  var isVariable: Bool { change != nil }
}
