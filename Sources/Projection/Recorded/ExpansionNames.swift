/// The types that the code of ``Recorded()`` names. Only that code uses it.
///
/// An app may have a type with the name of any of these, and one with the name of this module, by which they
/// could be told apart otherwise.
public enum _Replay {
  /// ``Projection/RecordedObject``.
  public typealias RecordedObject = Projection.RecordedObject
  /// ``Projection/RecordedObjectSource``.
  public typealias RecordedObjectSource = Projection.RecordedObjectSource
  /// ``Projection/RecordedPropertyDescriptor``.
  public typealias RecordedPropertyDescriptor = Projection.RecordedPropertyDescriptor
  /// ``Projection/RecordedPropertyReader``.
  public typealias RecordedPropertyReader = Projection.RecordedPropertyReader
  /// ``Projection/RecordedPropertyVisitor``.
  public typealias RecordedPropertyVisitor = Projection.RecordedPropertyVisitor
  /// ``Projection/RecordedPropertyWriter``.
  public typealias RecordedPropertyWriter = Projection.RecordedPropertyWriter
  /// ``Projection/RecordedRegistrar``.
  public typealias RecordedRegistrar = Projection.RecordedRegistrar
  /// ``Projection/RunningObservers``.
  public typealias RunningObservers = Projection.RunningObservers
}
