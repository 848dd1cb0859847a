// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What Apple's documentation describes, as far as ReplayUI and its tests need it.

/// A key of the environment, with the value that applies if none was set.
public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Value { get }
}

/// The values that views get from the views around them.
public struct EnvironmentValues {
  var values: [ObjectIdentifier: Any] = [:]
  /// Observable objects, by type.
  var objects: [ObjectIdentifier: AnyObject] = [:]

  public init() {}

  public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
    get { values[ObjectIdentifier(key)] as? Key.Value ?? key.defaultValue }
    set { values[ObjectIdentifier(key)] = newValue }
  }
}

extension View {
  public func environment<Value>(
    _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value
  ) -> some View { EnvironmentWriter(content: self) { $0[keyPath: keyPath] = value } }

  public func environment<Object: AnyObject & Observable>(_ object: Object?) -> some View {
    EnvironmentWriter(content: self) { $0.objects[ObjectIdentifier(Object.self)] = object }
  }

  public func environmentObject<Object: ObservableObject>(_ object: Object) -> some View {
    EnvironmentWriter(content: self) { $0.objects[ObjectIdentifier(Object.self)] = object }
  }
}

struct EnvironmentWriter<Content: View>: PrimitiveView {
  let content: Content
  let write: (inout EnvironmentValues) -> Void

  func place(at node: Node) -> [Child] {
    var environment = node.environment
    write(&environment)
    return [Child(key: 0, view: content, environment: environment)]
  }
}
