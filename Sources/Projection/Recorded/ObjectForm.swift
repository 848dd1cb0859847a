import EventLog

/// The data that all objects of a class share, determined once for each class.
final class ObjectForm: Sendable {
  /// The name of the class.
  let name: String
  /// The logged properties, stored here because the macro's list is built anew at each call.
  let properties: [RecordedPropertyDescriptor]
  /// Whether any of them is redacted.
  let hasRedactions: Bool
  /// Whether objects have an `id`.
  let isIdentifiable: Bool
  /// Whether one of the properties is the `id`.
  let hasID: Bool
  /// The names of the properties, without values; recorded objects share this list. Nil if two properties
  /// have the same name.
  let layout: NamedValues<Value>?
  private let collections = Lock<[Int]?>(nil)

  private init(_ object: any RecordedObject) {
    let type = type(of: object)
    name = "\(type)"
    let properties = type._$properties
    self.properties = properties
    hasRedactions = properties.contains { $0.redaction != nil }
    isIdentifiable = type is any Identifiable.Type
    hasID = properties.contains { $0.name == "id" }
    var layout = NamedValues<Value>(minimumCapacity: properties.count)
    for property in properties { layout[property.name] = .null }
    self.layout = layout.count == properties.count ? layout : nil
  }

  /// The variables that may hold recorded collections. Cost after the first call: a lock.
  ///
  /// - Parameter object: An object of the class. None of its properties may be being accessed.
  func collections(of object: any RecordedObject) -> [Int] {
    if let known = collections.withLock({ $0 }) { return known }
    let found = properties.indices.filter { number in
      let probe = CollectionProbe()
      return !properties[number].isConstant && object._$write(property: number, from: probe)
        && probe.mayHoldCollection
    }
    collections.withLock { $0 = found }
    return found
  }

  private static let known = TypeTable<ObjectForm>()

  /// The form of an object's class. Cost after the first call for the class: a hash.
  ///
  /// - Precondition: The caller is in the isolation of the class.
  static func of(_ object: any RecordedObject) -> ObjectForm {
    known.fact(of: type(of: object)) { ObjectForm(object) }
  }
}

/// Finds out whether a property may hold a recorded collection. It writes nothing.
private final class CollectionProbe: RecordedPropertyWriter {
  var mayHoldCollection = false

  func write<Member>(_ storage: inout Member) {
    // The contents of optionals and existentials differ from value to value, so these may hold a collection.
    mayHoldCollection =
      Member.self is any RecordedCollection.Type || Member.self is any OptionalValue.Type
      || Member.self is AnyHashable.Type
      || TypeKind(of: Member.self) == .other && !(Member.self is AnyClass)
  }
}
