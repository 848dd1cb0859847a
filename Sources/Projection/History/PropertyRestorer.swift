import EventLog

/// Puts a recorded value into the store of a property, unseen by sessions and observers.
final class PropertyRestorer: RecordedPropertyReader, RecordedPropertyWriter {
  /// Keeps a value of the property's own type, an optional one too.
  private final class Box<Member> {
    let member: Member
    init(_ member: Member) { self.member = member }
  }

  private let value: Value
  private let context: RestoringContext
  private var isConstant = false
  private var restored: AnyObject?
  private var isAsRestored = false
  private var problem: RestoreProblem?

  init(_ value: Value, _ context: RestoringContext) {
    self.value = value
    self.context = context
  }

  /// - Throws: ``RestoreProblem``; the property is then as it was.
  func restore(
    property number: Int, of object: any RecordedObject, _ descriptor: RecordedPropertyDescriptor
  ) throws(RestoreProblem) {
    isConstant = descriptor.isConstant
    // Made before the store is accessed: making objects may run code that reads this one.
    guard object._$read(property: number, into: self) else { return }
    if let problem { throw problem }
    guard isConstant else {
      _ = object._$write(property: number, from: self)
      return
    }
    if !isAsRestored {
      throw context.mismatch(
        value, type(of: object),
        "\(descriptor.name) is a constant that no initializer takes; make it a variable that only the class sets"
      )
    }
  }

  func read<Member>(_ member: Member) {
    do throws(RestoreProblem) {
      let new = try context.restore(Member.self, from: value)
      restored = Box(new)
      guard isConstant else { return }
      var encoding = EncodingContext(objects: ObjectsByAddress())
      isAsRestored = encoding.encode(member) == encoding.encode(new)
    } catch {
      problem = error
    }
  }

  func write<Member>(_ storage: inout Member) {
    if let box = restored as? Box<Member> { storage = box.member }
  }
}

/// Tells objects apart, to compare two values that are in memory.
private final class ObjectsByAddress: ObjectEncoding {
  private var last: UInt64 = 0

  func value(of object: any RecordedObject, in context: inout EncodingContext) -> Value {
    .reference(ObjectID(identity(of: object)))
  }

  func identity(of object: AnyObject) -> UInt64 {
    UInt64(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
  }

  func freshIdentity() -> UInt64 {
    last += 1
    return last
  }
}
