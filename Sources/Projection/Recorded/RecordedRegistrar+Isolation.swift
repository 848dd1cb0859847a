/// How code without isolation, the runtime's, reaches the store of an object, which has its class's or its own.
extension RecordedRegistrar {
  /// Calls `stored`, an object's reader of its own store, without the isolation in its type.
  ///
  /// - Precondition: The caller is in the isolation of the object's class.
  public func _$read<Stored>(
    _ stored: Stored, property: Int, into reader: any RecordedPropertyReader
  ) -> Bool {
    erasingIsolation(of: stored, as: ((Int, any RecordedPropertyReader) -> Bool).self)(property, reader)
  }

  /// Calls `stored`, an object's writer of its own store, without the isolation in its type.
  ///
  /// - Precondition: The caller is in the isolation of the object's class.
  public func _$write<Stored>(
    _ stored: Stored, property: Int, from writer: any RecordedPropertyWriter
  ) -> Bool {
    erasingIsolation(of: stored, as: ((Int, any RecordedPropertyWriter) -> Bool).self)(property, writer)
  }

  /// Calls `stored`, which reaches a property that is isolated otherwise than its class, without the isolation in
  /// its type.
  ///
  /// - Precondition: The caller is in the isolation of the property.
  public func _$call<Stored>(_ stored: Stored) {
    erasingIsolation(of: stored, as: (() -> Void).self)()
  }
}

/// The same function, of a type without a global actor. The macro passes a method whose isolation it cannot
/// know; a function's representation does not depend on it (`MainActor.assumeIsolated` relies on the same).
func erasingIsolation<Isolated, Plain>(of function: Isolated, as plain: Plain.Type) -> Plain {
  precondition(MemoryLayout<Isolated>.size == MemoryLayout<Plain>.size)
  return unsafeBitCast(function, to: Plain.self)
}
