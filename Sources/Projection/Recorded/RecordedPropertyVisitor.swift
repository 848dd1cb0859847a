/// Receives the key path of a variable from an object's `_$visit`.
public protocol RecordedPropertyVisitor: AnyObject {
  /// Takes the key path. Called at most once for each `_$visit`, in the isolation of the object's class.
  func visit<Subject: RecordedObject, Member>(_ subject: Subject, _ keyPath: KeyPath<Subject, Member>)
}

extension RecordedRegistrar {
  /// Calls `stored`, an object's `_$visitStored`, without the isolation in its type.
  ///
  /// - Precondition: The caller is in the isolation of the object's class.
  public func _$visit<Stored>(
    _ stored: Stored, property: Int, by visitor: any RecordedPropertyVisitor
  ) -> Bool {
    erasingIsolation(of: stored, as: ((Int, any RecordedPropertyVisitor) -> Bool).self)(property, visitor)
  }
}
