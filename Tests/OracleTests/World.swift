/// The app's state in the brute-force model: named roots and a table of objects.
struct World {
  var roots: [(name: String, object: Int)] = []
  var objects: [Int: Fields] = [:]
  var types: [Int: String] = [:]
  var lastNumber = 0

  func object(ofRoot name: String) -> Int? { roots.first { $0.name == name }?.object }

  /// The object that a route starts from.
  func start(of route: Route) -> Int? {
    if let number = route.number { return objects[number] == nil ? nil : number }
    return object(ofRoot: route.root)
  }

  /// The scalar by which `[id: x]` finds an element.
  func id(of element: Plain) -> Plain? {
    let id: Plain? =
      switch element {
      case .map(let fields): fields["id"]
      case .reference(let number): objects[number]?["id"]
      default: nil
      }
    return id.flatMap { $0.isScalar ? $0 : nil }
  }

  func position(of id: Plain, in elements: [Plain]) -> Int? {
    elements.firstIndex { self.id(of: $0) == id }
  }

  /// One step within a value that is not an object.
  func below(_ value: Plain?, _ step: Step) -> Plain? {
    switch (value, step) {
    case (let value, .exists): .bool(value != nil)
    case (.map(let fields)?, .property(let name)), (.map(let fields)?, .key(let name)): fields[name]
    case (.map(let fields)?, .count): .int(Int64(fields.entries.count))
    case (.map(let fields)?, .order): .map(Fields(entries: fields.entries.map { ($0.name, .null) }))
    case (.array(let elements)?, .index(let index)): elements.indices.contains(index) ? elements[index] : nil
    case (.array(let elements)?, .id(let id)): position(of: id, in: elements).map { elements[$0] }
    case (.array(let elements)?, .count): .int(Int64(elements.count))
    case (.array(let elements)?, .order):
      .array(
        elements.map { element in
          if let id = id(of: element) { return id }
          if case .reference = element { return element }
          return .null
        })
    default: nil
    }
  }
}
