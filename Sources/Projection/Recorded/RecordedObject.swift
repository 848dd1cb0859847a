import Observation

/// An object whose class is marked ``Recorded()``. Do not conform by hand: the macro does.
///
/// The requirements are for the runtime. All are nonisolated, so that one runtime serves classes of every
/// isolation; `_$read` and `_$write` must still be called in the isolation of the class.
public protocol RecordedObject: AnyObject, Observable {
  /// Where the object reports its accesses and mutations. One for each object, shared by all classes in the
  /// chain of inheritance.
  var _$recorded: RecordedRegistrar { get }

  /// The logged properties in the order of declaration, a superclass's first. The position is the property's
  /// number.
  static var _$properties: [RecordedPropertyDescriptor] { get }

  /// The count of ``_$properties``, without building it.
  static var _$propertyCount: Int { get }

  /// Hands the value of a property to `reader`, without registering an access.
  ///
  /// Returns false when there is no such property in this build (an `#if` left it out) or at all.
  func _$read(property: Int, into reader: any RecordedPropertyReader) -> Bool

  /// Lets `writer` replace the value of a property, without recording a mutation.
  ///
  /// Returns false when there is no such variable in this build or at all; a constant is not written.
  func _$write(property: Int, from writer: any RecordedPropertyWriter) -> Bool

  /// Makes an object by an initializer of the class, with what a log holds of its properties.
  ///
  /// Returns nil when no initializer can be called with properties alone.
  static func _$create(from source: RecordedObjectSource) throws -> (any RecordedObject)?

  /// Hands the key path of a variable to `visitor`.
  ///
  /// Returns false when there is no such variable in this build or at all.
  func _$visit(property: Int, by visitor: any RecordedPropertyVisitor) -> Bool
}

/// What is known of a logged property without an object.
public struct RecordedPropertyDescriptor: Hashable, Sendable {
  /// The name, as in paths.
  public let name: String
  /// Whether it is a `let`.
  public let isConstant: Bool
  /// What the log keeps of its value, if it must not hold all of it.
  public let redaction: Redaction?

  /// Whether the log must not hold its value.
  public var isRedacted: Bool { redaction != nil }

  /// Creates a descriptor.
  ///
  /// - Parameter isHashed: Whether the log may hold a hash of a redacted value.
  public init(_ name: String, isConstant: Bool = false, isRedacted: Bool = false, isHashed: Bool = false) {
    self.name = name
    self.isConstant = isConstant
    redaction = isRedacted ? (isHashed ? .hashed : .hidden) : nil
  }
}

/// Receives the value of a property from an object's `_$read`.
public protocol RecordedPropertyReader: AnyObject {
  /// Takes the value. Called at most once for each `_$read`.
  func read<Member>(_ value: Member)
}

extension RecordedPropertyReader {
  /// Passes over a value that cannot be copied, such as a lock: a log cannot hold it.
  public func read<Member: ~Copyable>(_ value: borrowing Member) {}
}

/// Replaces the value of a property from an object's `_$write`.
public protocol RecordedPropertyWriter: AnyObject {
  /// Replaces or changes what is stored. Called at most once for each `_$write`; it must not reach the
  /// property by another way meanwhile, because the store is being accessed.
  func write<Member>(_ storage: inout Member)
}
