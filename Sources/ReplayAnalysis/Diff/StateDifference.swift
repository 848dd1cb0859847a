import EventLog
import OrderedCollections

/// A place whose value differs between two states; nil where one has none.
package struct StateDifference: Sendable {
  package var path: Path
  package var a: PrintedJSON?
  package var b: PrintedJSON?

  /// Every difference, at the deepest place that tells it. Objects are compared by what they hold, not by number.
  static func between(_ a: State, _ b: State) -> [StateDifference] {
    var comparison = StateComparison(a: a, b: b)
    return comparison.all()
  }
}

extension StateDifference: Encodable {
  enum CodingKeys: CodingKey { case path, a, b }

  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(path.description, forKey: .path)
    try fields.encodeIfPresent(a, forKey: .a)
    try fields.encodeIfPresent(b, forKey: .b)
  }
}

/// Two states gone through side by side.
private struct StateComparison {
  let a: State
  let b: State
  private var found: [StateDifference] = []
  private var compared: Set<Pair> = []

  struct Pair: Hashable {
    var a: ObjectID
    var b: ObjectID
  }

  init(a: State, b: State) {
    self.a = a
    self.b = b
  }

  mutating func all() -> [StateDifference] {
    for name in Set(names: a.roots.keys).union(Set(names: b.roots.keys)).sorted().map(\.string) {
      compare(
        a.roots[name].map { .reference($0) }, b.roots[name].map { .reference($0) },
        at: Path(root: .named(name)))
    }
    return found
  }

  private mutating func compare(_ first: Value?, _ second: Value?, at path: Path) {
    switch (first, second) {
    case (.reference(let x)?, .reference(let y)?):
      guard compared.insert(Pair(a: x, b: y)).inserted, let x = a.objects[x], let y = b.objects[y] else {
        return
      }
      // The walk stops where no path could name the place.
      guard path.components.count < Path.maximumDepth else { return }
      compare(x.fields, y.fields, at: path) { .property($0) }
    case (.map(let x)?, .map(let y)?):
      compare(x, y, at: path) { .property($0) }
    case (.array(let x)?, .array(let y)?):
      compare(x, y, at: path)
    case (nil, nil): return
    case (let x?, let y?) where x == y: return
    default:
      found.append(
        StateDifference(
          path: path, a: first.map { StateTree($0, at: path, of: a).json },
          b: second.map { StateTree($0, at: path, of: b).json }))
    }
  }

  private mutating func compare(
    _ x: NamedValues<Value>, _ y: NamedValues<Value>, at path: Path,
    _ component: (String) -> PathComponent
  ) {
    for (name, value) in x { compare(value, y[name], at: path.appending(component(name))) }
    for (name, value) in y where x[name] == nil { compare(nil, value, at: path.appending(component(name))) }
  }

  /// By id where every element has one of its own, so that one more in front does not shift all; else by offset.
  private mutating func compare(_ x: [Value], _ y: [Value], at path: Path) {
    if let idsX = ids(x, in: a), let idsY = ids(y, in: b) {
      for (id, value) in idsX { compare(value, idsY[id], at: path.appending(.id(id))) }
      for (id, value) in idsY where idsX[id] == nil { compare(nil, value, at: path.appending(.id(id))) }
      if Array(idsX.keys) != Array(idsY.keys), Set(idsX.keys) == Set(idsY.keys) {
        found.append(StateDifference(path: path.appending(.order), a: order(idsX), b: order(idsY)))
      }
      return
    }
    for index in 0..<max(x.count, y.count) {
      compare(
        index < x.count ? x[index] : nil, index < y.count ? y[index] : nil, at: path.appending(.index(index)))
    }
  }

  private func order(_ ids: OrderedDictionary<Value, Value>) -> PrintedJSON {
    PrintedJSON(Value.array(Array(ids.keys)).json)
  }

  private func ids(_ elements: [Value], in state: State) -> OrderedDictionary<Value, Value>? {
    var ids: OrderedDictionary<Value, Value> = [:]
    for element in elements {
      guard let id = state.id(of: element), ids.updateValue(element, forKey: id) == nil else { return nil }
    }
    return ids
  }
}
