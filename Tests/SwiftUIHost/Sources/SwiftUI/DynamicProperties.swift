// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What Apple's documentation describes, as far as ReplayUI and its tests need it.

/// A property of a view whose value the host sets before it evaluates the body.
public protocol DynamicProperty {}

/// The part that the host calls. A property's box is created with the view and tied to the storage that the
/// host keeps for the view's identity.
protocol InstalledProperty: DynamicProperty {
  /// Ties the property to the storage of a node under `index`. Returns whether the view must be evaluated
  /// because of it.
  @MainActor func install(at node: Node, _ index: Int) -> Bool
  /// Whether another property, passed in with a new view, refers to the same storage.
  func isSame(as other: any InstalledProperty) -> Bool
}

/// The values that the host has set for a property; copies of a view share them.
final class Box<Content> {
  var content: Content?
}

/// A reference to the storage that the host keeps for a property, valid as long as that exists: views may
/// outlive their identity.
final class Tie<Kept: AnyObject> {
  weak var kept: Kept?
}

// MARK: State

@propertyWrapper public struct State<Value>: InstalledProperty {
  private let initial: Value
  private let tie = Tie<Storage>()

  final class Storage {
    var value: Value
    /// A change of a value that it has read evaluates the view again.
    var wasRead = false
    weak var node: Node?

    init(_ value: Value, _ node: Node) {
      self.value = value
      self.node = node
    }

    func set(_ new: Value) {
      let isChange = !areSame(value, new)
      value = new
      if isChange, wasRead { node?.invalidate() }
    }
  }

  public init(wrappedValue: Value) { initial = wrappedValue }
  public init(initialValue: Value) { initial = initialValue }

  public var wrappedValue: Value {
    get {
      tie.kept?.wasRead = true
      return tie.kept?.value ?? initial
    }
    nonmutating set { tie.kept?.set(newValue) }
  }

  public var projectedValue: Binding<Value> {
    guard let storage = tie.kept else { return Binding(value: initial, identity: nil) { _ in } }
    storage.wasRead = true
    return Binding(value: storage.value, identity: storage, get: { storage.value }) { storage.set($0) }
  }

  @MainActor func install(at node: Node, _ index: Int) -> Bool {
    tie.kept = node.kept(index) { Storage(initial, node) }
    return false
  }

  func isSame(as other: any InstalledProperty) -> Bool { true }
}

@propertyWrapper public struct StateObject<Object: ObservableObject>: InstalledProperty {
  private let make: () -> Object
  private let tie = Tie<Followed<Object>>()

  public init(wrappedValue make: @autoclosure @escaping () -> Object) { self.make = make }

  @MainActor public var wrappedValue: Object { tie.kept?.object ?? make() }

  @MainActor func install(at node: Node, _ index: Int) -> Bool {
    tie.kept = node.kept(index) { Followed(make(), node) }
    return false
  }

  func isSame(as other: any InstalledProperty) -> Bool { true }
}

/// An object that announces its changes, and the subscription that passes them to a view.
@MainActor final class Followed<Object: ObservableObject> {
  let object: Object
  private let subscription: AnyCancellable

  init(_ object: Object, _ node: Node) {
    self.object = object
    subscription = object.objectWillChange.sink { [weak node] _ in
      MainActor.assumeIsolated { node?.invalidate() }
    }
  }
}

@propertyWrapper public struct ObservedObject<Object: ObservableObject>: InstalledProperty {
  public let wrappedValue: Object

  public init(wrappedValue: Object) { self.wrappedValue = wrappedValue }

  @MainActor func install(at node: Node, _ index: Int) -> Bool { node.follow(wrappedValue, index) }

  func isSame(as other: any InstalledProperty) -> Bool {
    (other as? ObservedObject<Object>)?.wrappedValue === wrappedValue
  }
}

extension Node {
  /// Follows an object, which may have been replaced by another. Returns whether it was.
  func follow<Object: ObservableObject>(_ object: Object, _ index: Int) -> Bool {
    if let known = storage[index] as? Followed<Object>, known.object === object { return false }
    storage[index] = Followed(object, self)
    return true
  }
}

// MARK: The environment

@propertyWrapper public struct Environment<Value>: InstalledProperty {
  private let read: (EnvironmentValues) -> Value
  private let box = Box<Value>()

  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { read = { $0[keyPath: keyPath] } }

  public init(_ type: Value.Type) where Value: AnyObject & Observable {
    read = {
      guard let object = $0.objects[ObjectIdentifier(type)] as? Value else {
        fatalError("no observable object of type \(type) in the environment")
      }
      return object
    }
  }

  public init<Object: AnyObject & Observable>(_ type: Object.Type) where Value == Object? {
    read = { $0.objects[ObjectIdentifier(type)] as? Object }
  }

  public var wrappedValue: Value {
    guard let value = box.content else { fatalError("the environment is read outside of a body") }
    return value
  }

  @MainActor func install(at node: Node, _ index: Int) -> Bool {
    let value = read(node.environment)
    box.content = value
    let last = node.kept(index) { Box<Value>() }
    defer { last.content = value }
    return last.content.map { !areSame($0, value) } ?? true
  }

  func isSame(as other: any InstalledProperty) -> Bool { true }
}

@propertyWrapper public struct EnvironmentObject<Object: ObservableObject>: InstalledProperty {
  private let box = Box<Object>()

  public init() {}

  /// Bindings to the object's properties.
  @dynamicMemberLookup public struct Wrapper {
    let object: Object

    public subscript<Subject>(
      dynamicMember keyPath: ReferenceWritableKeyPath<Object, Subject>
    ) -> Binding<Subject> { Binding(keyPath, of: object) }
  }

  @MainActor public var wrappedValue: Object {
    guard let object = box.content else { fatalError("no \(Object.self) in the environment") }
    return object
  }

  @MainActor public var projectedValue: Wrapper { Wrapper(object: wrappedValue) }

  @MainActor func install(at node: Node, _ index: Int) -> Bool {
    guard let object = node.environment.objects[ObjectIdentifier(Object.self)] as? Object else {
      return false
    }
    box.content = object
    return node.follow(object, index)
  }

  func isSame(as other: any InstalledProperty) -> Bool { true }
}

// MARK: Bindings

/// A value that is stored elsewhere. It is read when the binding is created, so a view depends on the values
/// that it creates bindings to.
@propertyWrapper @dynamicMemberLookup public struct Binding<Value>: InstalledProperty {
  private let value: Value
  private let identity: AnyObject?
  private let get: () -> Value
  private let set: (Value) -> Void

  init(
    value: Value, identity: AnyObject?, get: (() -> Value)? = nil, set: @escaping (Value) -> Void
  ) {
    (self.value, self.identity, self.get, self.set) = (value, identity, get ?? { value }, set)
  }

  init<Object: AnyObject>(_ keyPath: ReferenceWritableKeyPath<Object, Value>, of object: Object) {
    self.init(value: object[keyPath: keyPath], identity: object, get: { object[keyPath: keyPath] }) {
      object[keyPath: keyPath] = $0
    }
  }

  public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
    self.init(value: get(), identity: nil, get: get, set: set)
  }

  public var wrappedValue: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }

  public var projectedValue: Binding<Value> { self }

  public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
    Binding<Subject>(
      value: value[keyPath: keyPath], identity: identity, get: { self.wrappedValue[keyPath: keyPath] }
    ) { self.wrappedValue[keyPath: keyPath] = $0 }
  }

  @MainActor func install(at node: Node, _ index: Int) -> Bool { false }

  func isSame(as other: any InstalledProperty) -> Bool {
    guard let other = other as? Binding<Value>, let identity, other.identity === identity else {
      return false
    }
    return areSame(value, other.value)
  }
}

@propertyWrapper @dynamicMemberLookup public struct Bindable<Value> {
  public var wrappedValue: Value

  /// Only observable objects are bindable.
  @available(*, unavailable) public init(wrappedValue: Value) { fatalError() }

  public var projectedValue: Bindable<Value> { self }
}

extension Bindable where Value: AnyObject {
  public subscript<Subject>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>
  ) -> Binding<Subject> { Binding(keyPath, of: wrappedValue) }
}

extension Bindable where Value: Observable {
  public init(_ wrappedValue: Value) { self.wrappedValue = wrappedValue }
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}
