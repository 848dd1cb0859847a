import EventLog

/// What is in an element, to be compared after it was updated.
struct ElementContents<Element> {
  private enum Contents {
    case value(Element)
    case encoded(Value)
    case object(NamedValues<Value>)
    case unknown
  }

  private let contents: Contents

  init(_ element: Element) {
    if let object = element as? any RecordedObject {
      contents = .object(Self.fields(of: object))
    } else if Element.self is AnyClass {
      contents = .unknown
    } else if element is any Equatable {
      contents = .value(element)
    } else {
      contents = .encoded(Self.encode(element))
    }
  }

  /// Whether an element has other contents, or they cannot be told.
  func differ(from element: Element) -> Bool {
    switch contents {
    case .value(let old): Frame.untracked { isSame(old, element) } != true
    case .encoded(let value): value != Self.encode(element)
    case .object(let fields):
      (element as? any RecordedObject).map { Self.fields(of: $0) != fields } ?? true
    case .unknown: true
    }
  }

  /// Whether an element is to take the place of another: of objects, whether it is another one.
  static func differ(_ old: Element, _ new: Element) -> Bool {
    if let old = Sameness.reference(old), let new = Sameness.reference(new) { return old !== new }
    // Most of a snapshot is what was there already.
    return !StoredBytes.of(Element.self).agree(old, new) && ElementContents(old).differ(from: new)
  }

  private static func encode(_ element: Element) -> Value {
    var context = EncodingContext(objects: ObjectAddresses())
    return Frame.untracked { context.encode(element) }
  }

  /// The recorded properties, with what tells other objects from each other in place of these.
  private static func fields(of object: any RecordedObject) -> NamedValues<Value> {
    let properties = type(of: object)._$properties
    let reader = FieldReader()
    for number in properties.indices {
      reader.name = properties[number].name
      _ = object._$read(property: number, into: reader)
    }
    return reader.fields
  }

  private final class FieldReader: RecordedPropertyReader {
    var name = ""
    var fields: NamedValues<Value> = [:]
    private let addresses = ObjectAddresses()

    func read<Member>(_ value: Member) {
      var context = EncodingContext(objects: addresses)
      fields[name] = Frame.untracked { context.encode(value) }
    }
  }
}

/// Tells objects apart by where they are; good for as long as they live.
private final class ObjectAddresses: ObjectEncoding {
  private var last: UInt64 = 0

  func value(of object: any RecordedObject, in context: inout EncodingContext) -> Value {
    .opaque(type: "", identity: identity(of: object))
  }

  func identity(of object: AnyObject) -> UInt64 { UInt64(UInt(bitPattern: ObjectIdentifier(object))) }

  func freshIdentity() -> UInt64 {
    last += 1
    return last
  }
}
