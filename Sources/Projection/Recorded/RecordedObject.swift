import EventLog
import Observation

/// An object of a class that is marked ``Recorded()``. Do not conform by hand: the macro adds the
/// conformance.
///
/// Only the library calls the requirements. They are nonisolated, so that it can handle classes with any
/// isolation, but `_$read`, `_$write` and `_$visit` must be called in the isolation of the class.
public protocol RecordedObject: AnyObject, Observable {
  /// Receives the object's reads and mutations. Each object has one, which its superclass and subclass parts
  /// share.
  var _$recorded: RecordedRegistrar { get }

  /// The logged properties in the order of declaration, those of a superclass first. In all calls a property
  /// is identified by its index here.
  static var _$properties: [RecordedPropertyDescriptor] { get }

  /// The count of ``_$properties``, without building the array.
  static var _$propertyCount: Int { get }

  /// Passes the value of a property to `reader`, without registering a read.
  ///
  /// Returns false if there is no such property, or an `#if` excludes it from this build.
  func _$read(property: Int, into reader: any RecordedPropertyReader) -> Bool

  /// Lets `writer` replace the value of a property, without recording a mutation.
  ///
  /// Returns false if there is no such property in this build, or it is a constant.
  func _$write(property: Int, from writer: any RecordedPropertyWriter) -> Bool

  /// Creates an object by an initializer of the class, from the recorded values of its properties.
  ///
  /// Returns nil if every initializer needs arguments other than values of properties.
  static func _$create(from source: RecordedObjectSource) throws -> (any RecordedObject)?

  /// Passes the key path of a variable to `visitor`.
  ///
  /// Returns false if there is no such variable in this build.
  func _$visit(property: Int, by visitor: any RecordedPropertyVisitor) -> Bool
}

extension RecordedObject {
  /// The object of the app: what a session follows is not the object itself.
  var subject: AnyObject? {
    if let followed = self as? FollowedObject { followed.followedSubject } else { self }
  }

  /// The name of its class, as in the log.
  var loggedType: String { (self as? FollowedObject)?.typeName ?? "\(type(of: self))" }

  /// Its logged properties.
  var loggedProperties: [RecordedPropertyDescriptor] {
    (self as? FollowedObject)?.attachment.properties ?? type(of: self)._$properties
  }
}

/// Receives the value of a property from `RecordedObject._$read(property:into:)`.
public protocol RecordedPropertyReader: AnyObject {
  /// Takes the value. Called at most once for each `_$read`.
  func read<Member>(_ value: Member)
}

extension RecordedPropertyReader {
  /// Ignores a value that cannot be copied, such as a lock, because a log cannot hold it.
  public func read<Member: ~Copyable>(_ value: borrowing Member) {}
}

/// Replaces the value of a property in `RecordedObject._$write(property:from:)`.
public protocol RecordedPropertyWriter: AnyObject {
  /// Replaces or mutates the stored value. Called at most once for each `_$write`. It must not access the
  /// property in any other way, because the store is being accessed.
  func write<Member>(_ storage: inout Member)
}

/// Receives the key path of a variable from `RecordedObject._$visit(property:by:)`.
public protocol RecordedPropertyVisitor: AnyObject {
  /// Takes the key path. Called at most once for each `_$visit`, in the isolation of the object's class.
  func visit<Subject: RecordedObject, Member>(_ subject: Subject, _ keyPath: KeyPath<Subject, Member>)
}

// MARK: Observation

/// The methods that `@Observable` adds to a class for its computed properties.
///
///     var name: String {
///       get {
///         access(keyPath: \.name)
///         return defaults.string(forKey: "name") ?? ""
///       }
///       set { withMutation(keyPath: \.name) { defaults.set(newValue, forKey: "name") } }
///     }
///
/// Observers of the standard library track such a property. A session does not, because it never sees the
/// value.
extension RecordedObject {
  /// Registers a read of a computed property.
  public nonisolated func access<Member>(keyPath: KeyPath<Self, Member>) {
    _$recorded.watchers(of: self).registrar.access(self, keyPath: keyPath)
  }

  /// Notifies observers of a computed property that `mutation` changes it.
  public nonisolated func withMutation<Member, MutationResult>(
    keyPath: KeyPath<Self, Member>, _ mutation: () throws -> MutationResult
  ) rethrows -> MutationResult {
    try _$recorded.watchers(of: self).registrar.withMutation(of: self, keyPath: keyPath, mutation)
  }
}

extension RecordedObject {
  /// The standard library's registrar, under the name that `@Observable` gives it, for code that calls it itself.
  public nonisolated var _$observationRegistrar: ObservationRegistrar {
    _$recorded.watchers(of: self).registrar
  }
}

// MARK: Isolation

/// Calls from the library, which has no isolation, to methods that the macro adds to a class and that have
/// the isolation of the class or of a property.
extension RecordedRegistrar {
  /// Calls `stored`, the object's method that reads its store, as a function without isolation.
  ///
  /// - Precondition: The caller is in the isolation of the object's class.
  @inlinable
  public func _$read<Stored>(
    _ stored: Stored, property: Int, into reader: any RecordedPropertyReader
  ) -> Bool {
    erasingIsolation(of: stored, as: ((Int, any RecordedPropertyReader) -> Bool).self)(property, reader)
  }

  /// Calls `stored`, the object's method that writes to its store, as a function without isolation.
  ///
  /// - Precondition: The caller is in the isolation of the object's class.
  @inlinable
  public func _$write<Stored>(
    _ stored: Stored, property: Int, from writer: any RecordedPropertyWriter
  ) -> Bool {
    erasingIsolation(of: stored, as: ((Int, any RecordedPropertyWriter) -> Bool).self)(property, writer)
  }

  /// Calls `stored`, the object's method that passes key paths to a visitor, as a function without isolation.
  ///
  /// - Precondition: The caller is in the isolation of the object's class.
  @inlinable
  public func _$visit<Stored>(
    _ stored: Stored, property: Int, by visitor: any RecordedPropertyVisitor
  ) -> Bool {
    erasingIsolation(of: stored, as: ((Int, any RecordedPropertyVisitor) -> Bool).self)(property, visitor)
  }

  /// Calls `stored`, which accesses a property with another isolation than its class, as a function without
  /// isolation.
  ///
  /// - Precondition: The caller is in the isolation of the property.
  public func _$call<Stored>(_ stored: Stored) {
    erasingIsolation(of: stored, as: (() -> Void).self)()
  }
}

extension RecordedObjectSource {
  /// Calls `stored`, the class's method that creates an object, as a function without isolation.
  ///
  /// - Precondition: The caller is in the isolation of the class.
  /// - Returns: Nil if no initializer can be called with values of properties alone.
  /// - Throws: The error of the initializer, and ``RestoreProblem`` as ``argument(_:)``.
  public func create<Stored>(_ stored: Stored) throws -> (any RecordedObject)? {
    try erasingIsolation(
      of: stored, as: ((RecordedObjectSource) throws -> (any RecordedObject)?).self)(self)
  }
}

/// Converts a function to the type without a global actor.
///
/// The macro passes a method whose isolation it cannot know. The representation of a function does not depend on its
/// isolation; `MainActor.assumeIsolated` relies on that as well.
@inlinable
func erasingIsolation<Isolated, Plain>(of function: Isolated, as plain: Plain.Type) -> Plain {
  precondition(MemoryLayout<Isolated>.size == MemoryLayout<Plain>.size)
  return unsafeBitCast(function, to: Plain.self)
}
