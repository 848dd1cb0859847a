import EventLog
import OrderedCollections

/// A path at which two states differ. A value is nil if the path leads nowhere in that state.
package struct StateDifference: Sendable {
  package var path: Path
  package var a: PrintedJSON?
  package var b: PrintedJSON?

  /// All differences, each at the deepest path that shows it. Objects are compared by their contents, not by
  /// their ids; ids that a program creates anew in each run are compared by ``FreshIDs``.
  static func between(_ a: State, _ b: State, _ ids: FreshIDPair = FreshIDPair()) -> [StateDifference] {
    var comparison = StateComparison(a: a, b: b, ids: ids)
    return comparison.all()
  }

  /// The differences of the values at a path, or of the whole states.
  static func between(_ a: State, _ b: State, at path: Path?) -> [StateDifference] {
    var comparison = StateComparison(a: a, b: b, ids: FreshIDPair())
    return path.map { comparison.all(at: $0) } ?? comparison.all()
  }
}

/// What differs in the state after two events of one log.
package struct StateChanges: Encodable {
  package let since: UInt64
  package let seq: UInt64
  package let path: String?
  package let differences: [StateDifference]

  /// - Parameters:
  ///   - path: Only the values at this path.
  ///   - moment: The later event; nil for the end of the log.
  /// - Throws: `AnalysisError` if there is no such moment, or nothing at the path after either event.
  package init(of path: Path? = nil, since: Moment, at moment: Moment? = nil, in log: LogSource) throws {
    self.since = try since.seq(in: log)
    seq = try moment?.seq(in: log) ?? log.lastSeq
    self.path = path?.description
    let (before, after) = (try log.state(at: self.since), try log.state(at: seq))
    if let path, before.value(at: path) == nil {
      _ = try StateReport(of: path, in: after, after: seq, of: log)
    }
    differences = StateDifference.between(before, after, at: path)
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

/// The ids that each of two runs created.
struct FreshIDPair {
  var a = FreshIDs()
  var b = FreshIDs()
}

/// Compares two states property by property.
private struct StateComparison {
  let a: State
  let b: State
  let ids: FreshIDPair
  private var found: [StateDifference] = []
  private var compared: Set<Pair> = []

  struct Pair: Hashable {
    var a: ObjectID
    var b: ObjectID
  }

  init(a: State, b: State, ids: FreshIDPair) {
    self.a = a
    self.b = b
    self.ids = ids
  }

  mutating func all() -> [StateDifference] {
    for name in Set(names: a.roots.keys).union(Set(names: b.roots.keys)).sorted().map(\.string) {
      compare(
        a.roots[name].map { .reference($0) }, b.roots[name].map { .reference($0) },
        at: Path(root: .named(name)))
    }
    return found
  }

  mutating func all(at path: Path) -> [StateDifference] {
    compare(a.value(at: path), b.value(at: path), at: path)
    return found
  }

  private mutating func compare(_ first: Value?, _ second: Value?, at path: Path) {
    switch (first, second) {
    case (.reference(let x)?, .reference(let y)?):
      guard compared.insert(Pair(a: x, b: y)).inserted, let x = a.objects[x], let y = b.objects[y] else {
        return
      }
      // Deeper objects cannot be named by a path.
      guard path.components.count < Path.maximumDepth else { return }
      compare(x.fields, y.fields, at: path) { .property($0) }
    case (.map(let x)?, .map(let y)?):
      compare(x, y, at: path) { .property($0) }
    case (.array(let x)?, .array(let y)?):
      compare(x, y, at: path)
    case (nil, nil): return
    case (let x?, let y?) where x == y || ids.a.standIn(for: x) == ids.b.standIn(for: y): return
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
    var partners: [ExactString: String] = [:]
    for (name, _) in y {
      let known = ids.b.standIn(for: name)
      if !known.hasSameBytes(as: name) { partners[ExactString(known)] = name }
    }
    var paired: Set<ExactString> = []
    for (name, value) in x {
      let partner = partners[ExactString(ids.a.standIn(for: name))] ?? name
      if !partner.hasSameBytes(as: name) { paired.insert(ExactString(partner)) }
      compare(value, y[partner], at: path.appending(component(name)))
    }
    for (name, value) in y where x[name] == nil && !paired.contains(ExactString(name)) {
      compare(nil, value, at: path.appending(component(name)))
    }
  }

  /// Compares arrays by the ids of their elements if every element has a unique one, so that an insertion
  /// does not shift all that follow; else by index.
  private mutating func compare(_ x: [Value], _ y: [Value], at path: Path) {
    if let idsX = elements(x, in: a, ids.a), let idsY = elements(y, in: b, ids.b) {
      for (id, element) in idsX {
        compare(element.value, idsY[id]?.value, at: path.appending(.id(element.id)))
      }
      for (id, element) in idsY where idsX[id] == nil {
        compare(nil, element.value, at: path.appending(.id(element.id)))
      }
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

  /// An element, and its id in its own run.
  private typealias Element = (id: Value, value: Value)

  private func order(_ elements: OrderedDictionary<Value, Element>) -> PrintedJSON {
    PrintedJSON(Value.array(elements.values.map(\.id)).json)
  }

  /// The elements by ids that can be compared between the runs; nil if an element has no id or two have the
  /// same.
  private func elements(
    _ elements: [Value], in state: State, _ ids: FreshIDs
  ) -> OrderedDictionary<Value, Element>? {
    var found: OrderedDictionary<Value, Element> = [:]
    for element in elements {
      guard let id = state.id(of: element),
        found.updateValue((id, element), forKey: ids.standIn(for: id)) == nil
      else { return nil }
    }
    return found
  }
}
