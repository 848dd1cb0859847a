import EventLog
import Observation

/// A property of one followed object.
protocol FollowedProperty: AnyObject {
  var name: String { get }
  /// Nil as long as it is not known.
  var keyPath: AnyKeyPath? { get }
  /// Whether the app can set it.
  var isVariable: Bool { get }
  /// Whether its sets can be observed, for which the key path must be known.
  var isObservable: Bool { get }

  /// Takes the key path of the property; returns false if it cannot be used.
  func learn(_ keyPath: AnyKeyPath) -> Bool

  /// Reads the value within `observe`. Call this, and the two below, outside the lock: getters and what encodes values are code of
  /// the app.
  func look(at object: AnyObject, for engine: Engine, _ observe: (() -> Void) -> Void) -> any FollowedValue

  /// Reads the value, and observes its sets; see ``SetObservation``.
  func look(
    at object: AnyObject, for engine: Engine, by observation: SetObservation,
    willSet: @escaping @Sendable () -> Void, didSet: @escaping @Sendable (_ isItself: Bool) -> Void
  ) -> any FollowedValue

  /// Reads the value. An observation around the code does not notice, if the property is stored.
  func lookAside(at object: AnyObject, for engine: Engine) -> any FollowedValue

  /// Reads the value, and records it as a set if it and the last one are scalars. Returns false and does nothing otherwise.
  func recordScalar(of object: AnyObject, of attachment: Attachment, property: Int) -> Bool

  func value(of object: AnyObject) -> Any
  func read(_ object: AnyObject, into reader: any RecordedPropertyReader)
  func write(_ object: AnyObject, from writer: any RecordedPropertyWriter)
  func visit(_ followed: FollowedObject, _ number: Int, _ visitor: any RecordedPropertyVisitor) -> Bool
}

/// A value that was read of a followed property, and is not recorded yet.
protocol FollowedValue {
  /// Keeps the value as the last one, which was recorded in another way. Call it under the lock.
  func keep()

  /// Its recorded form. Call it under the lock.
  func encode(in context: inout EncodingContext) -> Value

  /// Records it as a set.
  func record(of attachment: Attachment, property: Int)
}

/// The properties at the ends of key paths, of an object that publishes its changes.
func publishedProperties<Object: AnyObject, each Member>(
  at keyPaths: repeat KeyPath<Object, each Member>
) -> [any FollowedProperty] {
  var all: [any FollowedProperty] = []
  for keyPath in repeat each keyPaths {
    all.append(FollowedMember(keyPath, named: text(of: keyPath) ?? "property\(all.count + 1)"))
  }
  return all
}

/// The properties at the ends of key paths, of an object of which the standard library tells.
func observableProperties<Object: AnyObject & Observable, each Member>(
  at keyPaths: repeat KeyPath<Object, each Member>
) -> [any FollowedProperty] {
  var all: [any FollowedProperty] = []
  for keyPath in repeat each keyPaths {
    all.append(ObservableMember(keyPath, named: text(of: keyPath) ?? "property\(all.count + 1)"))
  }
  return all
}

/// A property whose type is known, of an object of which the standard library tells.
final class ObservableMember<Object: AnyObject & Observable, Member>: FollowedMember<Object, Member> {
  override func look(
    at object: AnyObject, for engine: Engine, by observation: SetObservation,
    willSet: @escaping @Sendable () -> Void, didSet: @escaping @Sendable (_ isItself: Bool) -> Void
  ) -> any FollowedValue {
    look(at: object, for: engine) { observation.begin(path, $0, willSet: willSet, didSet: didSet) }
  }
}

/// A property whose type is known.
class FollowedMember<Object: AnyObject, Member>: FollowedProperty {
  let name: String
  var keyPath: AnyKeyPath? { path }
  var isObservable: Bool { true }
  let path: KeyPath<Object, Member>
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
    let scalar: Value?
    /// Its recorded form; nil if it leads to an object that the log does not know yet, and which only the lock keeps others from
    /// recording.
    let encoded: Value?

    init(_ value: Member, of property: FollowedMember, for engine: Engine) {
      (self.property, self.value) = (property, value)
      scalar = RecordedScalar(value)?.value
      encoded = scalar ?? KnownObjects.encode(value, for: engine)
    }

    func keep() { property.last = scalar }

    func encode(in context: inout EncodingContext) -> Value {
      encoded ?? context.encode(value)
    }

    func record(of attachment: Attachment, property number: Int) {
      let engine = attachment.engine
      let state = engine.lock()
      let before = property.last
      property.last = scalar
      if let scalar, let before {
        return engine.setAndUnlock(state, scalar, isSame: scalar == before, of: attachment, property: number)
      }
      engine.unlock()
      if let encoded {
        engine.recordSet(encoded: encoded, as: Member.self, of: attachment, property: number)
      } else {
        engine.recordSet(value, isSame: nil, of: attachment, property: number)
      }
    }
  }

  func look(at object: AnyObject, for engine: Engine, _ observe: (() -> Void) -> Void) -> any FollowedValue {
    var value: Member?
    observe { value = current(object) }
    guard let value else { preconditionFailure("\(name) was not read") }
    return Read(value, of: self, for: engine)
  }

  func lookAside(at object: AnyObject, for engine: Engine) -> any FollowedValue {
    let value = OuterObserver.exists() ? Self.stored(name, in: object) ?? current(object) : current(object)
    return Read(value, of: self, for: engine)
  }

  /// The value of a stored property, as reflection has it, under the name that `@Observable` gives it. Cost: microseconds.
  private static func stored(_ name: String, in object: AnyObject) -> Member? {
    var mirror: Mirror? = Mirror(reflecting: object)
    while let part = mirror {
      if let field = part.children.first(where: { $0.label == "_" + name }) { return field.value as? Member }
      mirror = part.superclassMirror
    }
    return nil
  }

  func look(
    at object: AnyObject, for engine: Engine, by observation: SetObservation,
    willSet: @escaping @Sendable () -> Void, didSet: @escaping @Sendable (_ isItself: Bool) -> Void
  ) -> any FollowedValue {
    preconditionFailure("the standard library tells nothing of a \(Object.self)")
  }

  func recordScalar(of object: AnyObject, of attachment: Attachment, property: Int) -> Bool {
    guard RecordedScalar.isScalar(Member.self), !OuterObserver.exists(),
      let scalar = RecordedScalar(current(object))?.value
    else { return false }
    let engine = attachment.engine
    let state = engine.lock()
    guard let before = last else {
      engine.unlock()
      return false
    }
    last = scalar
    engine.setAndUnlock(state, scalar, isSame: scalar == before, of: attachment, property: property)
    return true
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

  func visit(_ followed: FollowedObject, _ number: Int, _ visitor: any RecordedPropertyVisitor) -> Bool {
    visitor.visit(followed, \FollowedObject.[FollowedPlace<Member>(property: number)])
    return true
  }

  func learn(_ keyPath: AnyKeyPath) -> Bool { false }
}

/// Encodes values outside the lock, as long as they lead to no object that is to be defined in the log.
final class KnownObjects: ReferenceEncoding {
  private let engine: Engine
  private var hasNew = false

  private init(_ engine: Engine) { self.engine = engine }

  /// The recorded form of a value; nil if it leads to such an object.
  static func encode<Member>(_ value: Member, for engine: Engine) -> Value? {
    let objects = KnownObjects(engine)
    let encoded = Frame.untracked {
      var context = EncodingContext(objects: objects)
      return context.encode(value)
    }
    return objects.hasNew ? nil : encoded
  }

  func reference(to value: Any, in context: inout EncodingContext) -> Value? {
    guard let object = value as? any RecordedObject else { return engine.reference(to: value, in: &context) }
    guard let attachment = object._$recorded.attachment, attachment.engine === engine else {
      hasNew = true
      return .null
    }
    return .reference(attachment.id)
  }

  func identity(of object: AnyObject) -> UInt64 { engine.identity(of: object) }
  func freshIdentity() -> UInt64 { engine.freshIdentity() }
  func hashed<T>(_ value: T) -> Value { engine.hashed(value) }
}
