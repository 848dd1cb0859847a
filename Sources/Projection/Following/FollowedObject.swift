import EventLog
import Observation

/// An object whose class knows nothing of recording. The session records it by what the standard library, or the object's
/// publisher, announces.
///
/// Guarded by the session's lock, but for constants. The object itself is used only in its isolation.
final class FollowedObject: @unchecked Sendable {
  let attachment: Attachment
  /// The name of the root in the log.
  let name: String
  /// The actor that the object belongs to; nil if it belongs to none.
  let isolation: (any Actor)?
  private weak var object: AnyObject?
  private let properties: [FollowedProperty]
  /// Ends the observations of the properties.
  private let bell = Bell()
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
    self.attachment = attachment
  }

  /// The object; nil if the app has released it.
  var subject: AnyObject? { isOver ? nil : object }

  /// The recorded form of its properties, which are observed from now on. Call it in the object's isolation.
  func fields(in context: inout EncodingContext) -> NamedValues<Value> {
    var fields = NamedValues<Value>(minimumCapacity: properties.count)
    guard let object = subject else { return fields }
    for number in properties.indices {
      fields[properties[number].name] = observe(number) { properties[number].encode(object, &context) }
    }
    return fields
  }

  /// Records the present value of a property, and observes it further. Call it in the object's isolation, outside of
  /// observations.
  func record(_ property: Int) {
    guard let object = subject else { return }
    // The value is recorded after the observation has ended, since encoding it reads more.
    observe(property) { properties[property].read(object) }(attachment, property)
  }

  private func observe<R>(_ property: Int, _ read: () -> R) -> R {
    if isPublished { return read() }
    return withObservationTracking {
      bell.hear()
      return read()
    } onChange: { [self] in
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

  /// Ends all observations.
  func end() {
    isOver = true
    subscription = nil
    bell.ring()
  }
}

/// A property of a followed object.
struct FollowedProperty {
  let name: String
  /// The recorded form of its value.
  let encode: (AnyObject, inout EncodingContext) -> Value
  /// Its value, as a closure that records it as the value of a property.
  let read: (AnyObject) -> (Attachment, Int) -> Void

  /// - Parameter fallback: The name if that of the key path cannot be found.
  init<Object: AnyObject, Member>(_ keyPath: KeyPath<Object, Member>, or fallback: String) {
    name = text(of: keyPath) ?? fallback
    encode = { object, context in context.encode(unsafeDowncast(object, to: Object.self)[keyPath: keyPath]) }
    read = { object in
      let value = unsafeDowncast(object, to: Object.self)[keyPath: keyPath]
      return { attachment, property in
        attachment.engine.recordSet(value, isSame: nil, of: attachment, property: property)
      }
    }
  }
}
