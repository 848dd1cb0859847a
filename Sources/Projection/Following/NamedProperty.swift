import EventLog
import Observation

/// A stored property of an object that is followed without key paths, known by the name that reflection gives it.
///
/// Its key path is learnt when a run reads it. From then on its sets are told; before, it is compared.
///
/// Guarded by the session's lock, but for reads of the object.
final class NamedProperty<Object: AnyObject & Observable>: FollowedProperty {
  let name: String
  private var learned: (any FollowedProperty)?

  init(named name: String) { self.name = name }

  /// The properties of an object that `@Observable` made, those of a superclass first.
  static func all(of object: Object) -> [any FollowedProperty] {
    var names: [String] = []
    var mirror: Mirror? = Mirror(reflecting: object)
    while let part = mirror {
      let fields = part.children.compactMap(\.label)
      // Without a registrar the class keeps its properties elsewhere.
      if fields.contains(ObjectLife.registrarName) {
        names =
          fields.filter { $0.hasPrefix("_") && $0 != ObjectLife.registrarName }.map {
            String($0.dropFirst())
          } + names
      }
      mirror = part.superclassMirror
    }
    return names.map { NamedProperty(named: $0) }
  }

  var keyPath: AnyKeyPath? { learned?.keyPath }
  var isVariable: Bool { learned?.isVariable ?? true }
  var isObservable: Bool { learned != nil }

  func learn(_ keyPath: AnyKeyPath) -> Bool {
    let type = Swift.type(of: keyPath)
    // The root is a superclass if the property is its.
    func member<Root: AnyObject & Observable>(of root: Root.Type) -> (any FollowedProperty)? {
      func member<Member>(_ type: Member.Type) -> (any FollowedProperty)? {
        (keyPath as? KeyPath<Root, Member>).map { ObservableMember($0, named: name) }
      }
      return _openExistential(type.valueType, do: member)
    }
    if learned == nil, let root = type.rootType as? any (AnyObject & Observable).Type {
      learned = member(of: root)
    }
    return learned != nil
  }

  func look(at object: AnyObject, for engine: Engine, _ observe: (() -> Void) -> Void) -> any FollowedValue {
    guard let learned else {
      observe {}
      return Read(of: self, Self.value(of: object, name), for: engine)
    }
    return learned.look(at: object, for: engine, observe)
  }

  func look(
    at object: AnyObject, for engine: Engine, by observation: SetObservation,
    willSet: @escaping @Sendable () -> Void, didSet: @escaping @Sendable (_ isItself: Bool) -> Void
  ) -> any FollowedValue {
    guard let learned else { preconditionFailure("\(name) cannot be observed yet; see isObservable") }
    return learned.look(at: object, for: engine, by: observation, willSet: willSet, didSet: didSet)
  }

  func lookAside(at object: AnyObject, for engine: Engine) -> any FollowedValue {
    learned?.lookAside(at: object, for: engine) ?? Read(of: self, Self.value(of: object, name), for: engine)
  }

  func recordScalar(of object: AnyObject, of attachment: Attachment, property: Int) -> Bool {
    learned?.recordScalar(of: object, of: attachment, property: property) ?? false
  }

  func value(of object: AnyObject) -> Any { learned?.value(of: object) ?? Self.value(of: object, name) }

  func read(_ object: AnyObject, into reader: any RecordedPropertyReader) {
    if let learned { return learned.read(object, into: reader) }
    func read<Member>(_ value: Member) { reader.read(value) }
    _openExistential(Self.value(of: object, name), do: read)
  }

  func write(_ object: AnyObject, from writer: any RecordedPropertyWriter) {
    learned?.write(object, from: writer)
  }

  func visit(_ followed: FollowedObject, _ number: Int, _ visitor: any RecordedPropertyVisitor) -> Bool {
    learned?.visit(followed, number, visitor) ?? false
  }

  /// The value in memory. No observer notices that it is read.
  private static func value(of object: AnyObject, _ name: String) -> Any {
    var mirror: Mirror? = Mirror(reflecting: object)
    while let part = mirror {
      if let field = part.children.first(where: { $0.label == "_" + name }) { return field.value }
      mirror = part.superclassMirror
    }
    preconditionFailure("a \(Object.self) has no \(name) any more")
  }

  /// A value that was read by reflection.
  private struct Read: FollowedValue {
    let name: String
    let value: Any
    let encoded: Value?

    init(of property: NamedProperty, _ value: Any, for engine: Engine) {
      func encode<Member>(_ value: Member) -> Value? { KnownObjects.encode(value, for: engine) }
      name = property.name
      self.value = value
      encoded = _openExistential(value, do: encode)
    }

    func keep() {}

    func encode(in context: inout EncodingContext) -> Value {
      if let encoded { return encoded }
      func encode<Member>(_ value: Member) -> Value { context.encode(value) }
      return _openExistential(value, do: encode)
    }

    func record(of attachment: Attachment, property: Int) {
      let engine = attachment.engine
      if let encoded {
        if engine.recorded(name, of: attachment.id) == encoded { return }
        engine.recordSet(encoded: encoded, as: type(of: value), of: attachment, property: property)
      } else {
        func record<Member>(_ value: Member) {
          engine.recordSet(value, isSame: nil, of: attachment, property: property)
        }
        _openExistential(value, do: record)
      }
    }
  }
}
