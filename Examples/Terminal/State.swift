import Projection

/// A property of a view, which is connected to the view's place before its body runs.
protocol PlaceProperty {
  func connect(to place: Place, as name: String, _ environment: EnvironmentObjects)
}

/// The value of a state, as long as the view is there.
@Recorded package final class StateCell<Value: Sendable> {
  package var value: Value
  init(_ value: Value) { self.value = value }
}

/// A value that belongs to a view on the screen, and outlives the values of the view.
@propertyWrapper package struct State<Value: Sendable>: Equatable, PlaceProperty {
  private final class Link { var cell: StateCell<Value>? }

  private let first: Value
  private let link = Link()

  package init(wrappedValue: Value) { first = wrappedValue }

  package var wrappedValue: Value {
    get { link.cell?.value ?? first }
    nonmutating set { link.cell?.value = newValue }
  }

  func connect(to place: Place, as name: String, _ environment: EnvironmentObjects) {
    link.cell = place.state(name, first)
  }

  /// What a view is handed does not differ by its state.
  package static func == (a: State, b: State) -> Bool { true }
}

/// An object that a view around this one hands to all within it. Without one it cannot be read.
@propertyWrapper package struct Environment<Object: AnyObject>: Equatable, PlaceProperty {
  private final class Link { var object: Object! }

  private let link = Link()
  package init(_ type: Object.Type) {}
  package var wrappedValue: Object { link.object }

  func connect(to place: Place, as name: String, _ environment: EnvironmentObjects) {
    link.object = environment[Object.self]
  }

  package static func == (a: Environment, b: Environment) -> Bool { true }
}

/// The objects by their classes. Two are equal if they have the same ones.
package struct EnvironmentObjects: Equatable {
  private var objects: [ObjectIdentifier: AnyObject] = [:]

  init(_ object: some AnyObject) { insert(object) }

  mutating func insert<Object: AnyObject>(_ object: Object) {
    objects[ObjectIdentifier(Object.self)] = object
  }

  subscript<Object: AnyObject>(type: Object.Type) -> Object? { objects[ObjectIdentifier(type)] as? Object }

  package static func == (a: EnvironmentObjects, b: EnvironmentObjects) -> Bool {
    a.objects.count == b.objects.count && a.objects.allSatisfy { b.objects[$0.key] === $0.value }
  }
}
