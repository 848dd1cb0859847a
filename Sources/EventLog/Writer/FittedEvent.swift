/// A value or event as an event can hold it.
///
/// If a value does not fit, the largest of its parts are replaced by `opaque` values of the type
/// `too large: N bytes`, until the rest fits. A part is a text, bytes, or an array or map, as small as is worth
/// replacing: a part that takes less than a 64th of the value is replaced only with what it is in. An object is
/// never replaced, nor is what contains one.

extension Value {
  /// The beginning of the types of ``tooLarge(_:)``.
  private static let tooLargeStart = "too large: "

  /// Stands for a value that does not fit an event. Two of these are different if the values are.
  fileprivate static func tooLarge(_ value: Value) -> Value {
    var digest = ValueDigest()
    digest.add(value)
    let identity = digest.finish()
    return .opaque(type: "\(tooLargeStart)\(digest.size) bytes", identity: identity)
  }

  /// Whether it stands for a value that did not fit an event, so that it may have parts that are not known.
  package var isTooLarge: Bool {
    guard case .opaque(let type, _) = self else { return false }
    return type.utf8.starts(with: Self.tooLargeStart.utf8)
  }

  /// Stands for the same value after a change of a part of it, if it is one that did not fit an event.
  func tooLargeAfterChange() -> Value {
    guard case .opaque(let type, let identity) = self else { return self }
    return .opaque(type: type, identity: identity &+ 1)
  }

  /// Whether the value fits an event at a path, as it is.
  fileprivate func fits(_ room: ValueSize) -> Bool {
    var size = ValueSize()
    if size.add(self, within: room) { return true }
    return nests(atMost: LogFormat.valueDepthMax) && ValueSize(exactlyOf: self).isWithin(room)
  }
}

extension Path {
  /// The room for the value of an event at this path.
  fileprivate var roomForValue: ValueSize {
    var room = ValueSize.event
    room.bytes -= textBytes
    return room
  }
}

/// An event with the parts of its value that were replaced, because they were too large.
package struct FittedEvent {
  /// A part that was replaced.
  package struct Part {
    package let path: Path
    /// The size of the part in bytes.
    package let bytes: Int
  }

  package private(set) var body: Event.Body
  package private(set) var replaced: [Part] = []

  /// Fits an event. Nil if that is not possible, because its value is, or contains, an object with very many
  /// fields or parts that define objects.
  ///
  /// A splice that inserts too much becomes a set of the whole value to one that is too large.
  package init?(_ body: Event.Body) {
    self.body = body
    switch body {
    case .set(let path, let value, let sameValue):
      guard let fitted = FittedValue(value, path.roomForValue, keepsTop: path.components.isEmpty) else {
        return nil
      }
      self.body = .set(path, fitted.value, sameValue: sameValue)
      replaced = fitted.parts.map { Part(path: path.appending($0.components), bytes: $0.bytes) }
    case .splice(let path, let offset, let delete, let insert, let sameValue):
      if let fitted = FittedValue(insert, path.roomForValue, keepsTop: true) {
        self.body = .splice(
          path, offset: offset, delete: delete, insert: fitted.value, sameValue: sameValue)
        replaced = fitted.parts.map { part in
          var components = part.components
          if case .index(let index)? = components.first { components[0] = .index(offset + index) }
          return Part(path: path.appending(components), bytes: part.bytes)
        }
      } else if !insert.definesObjects {
        let whole = Value.tooLarge(insert)
        self.body = .set(path, whole, sameValue: sameValue)
        replaced = [Part(path: path, bytes: whole.bytesOfTooLarge)]
      } else {
        return nil
      }
    default: break
    }
  }
}

extension Path {
  fileprivate func appending(_ components: [PathComponent]) -> Path {
    Path(root: root, components: self.components + components)
  }
}

extension Value {
  /// The size that is in the type of a value which did not fit.
  fileprivate var bytesOfTooLarge: Int {
    guard case .opaque(let type, _) = self else { return 0 }
    return type.split(separator: " ").lazy.compactMap { Int($0) }.first ?? 0
  }
}

// MARK: Values

/// A value without its largest parts.
private struct FittedValue {
  struct Part {
    let components: [PathComponent]
    let bytes: Int
  }

  private(set) var value: Value
  private(set) var parts: [Part] = []

  /// Nil if no parts can be replaced so that the rest fits.
  ///
  /// - Parameter keepsTop: Whether the value itself, rather than its parts, must stay.
  init?(_ value: Value, _ room: ValueSize, keepsTop: Bool) {
    self.value = value
    if value.fits(room) { return }
    guard replaceDeepParts() else { return nil }
    var search = PartSearch(room, keepsTop: keepsTop)
    while true {
      var total = ValueSize(exactlyOf: self.value)
      if total.isWithin(room) { return }
      guard let found = search.largeParts(of: self.value, ofSize: total) else { return nil }
      for part in found {
        replace(part.positions)
        total -= part.size
        if total.isWithin(room) { break }
      }
    }
  }

  private mutating func replace(_ positions: [Int]) {
    let components = value.components(of: positions)
    var bytes = 0
    value.change(positions[...]) { part in
      part = .tooLarge(part)
      bytes = part.bytesOfTooLarge
    }
    parts.append(Part(components: components, bytes: bytes))
  }

  /// Replaces what nests deeper than a block allows. Returns false if there are objects in it.
  private mutating func replaceDeepParts() -> Bool {
    if value.nests(atMost: LogFormat.valueDepthMax) { return true }
    var deep: [[Int]] = []
    var haveObjects = false
    value.forEachContainer(depth: LogFormat.valueDepthMax) { positions, part in
      deep.append(positions)
      haveObjects = haveObjects || part.definesObjects
    }
    if haveObjects { return false }
    for positions in deep { replace(positions) }
    return true
  }
}

/// Finds the parts of a value that can be replaced.
private struct PartSearch {
  struct Part {
    let positions: [Int]
    let size: ValueSize
  }

  private let room: ValueSize
  private let keepsTop: Bool
  /// Whether what has references to objects may be replaced. The objects themselves are in the log then.
  private var replacesReferences = false
  /// The share of the room above which a part is large.
  private var threshold = 0.0
  private var positions: [Int] = []
  private var found: [Part] = []
  /// The share of the largest part that can be replaced.
  private var largest = 0.0

  /// A smaller part takes little more than what would replace it.
  private static let bytesMin = 128

  init(_ room: ValueSize, keepsTop: Bool) {
    self.room = room
    self.keepsTop = keepsTop
  }

  /// The large parts without large parts in them, the largest one first; nil if nothing can be replaced.
  ///
  /// A part is large if it takes a 64th of the value, or else half as much as the largest part.
  mutating func largeParts(of value: Value, ofSize total: ValueSize) -> [Part]? {
    find(in: value, atLeast: total.share(of: room) / 64)
    if found.isEmpty, largest > 0 { find(in: value, atLeast: largest / 2) }
    if found.isEmpty {
      if replacesReferences { return nil }
      replacesReferences = true
      return largeParts(of: value, ofSize: total)
    }
    return found.sorted { $0.size.share(of: room) > $1.size.share(of: room) }
  }

  private mutating func find(in value: Value, atLeast threshold: Double) {
    (self.threshold, largest, found) = (threshold, 0, [])
    _ = visit(value)
  }

  private struct Visit {
    var size: ValueSize
    /// Whether the value must stay.
    var isKept = false
    /// Whether a part of it is large.
    var hasLarge = false
  }

  private mutating func visit(_ value: Value) -> Visit {
    var visit = Visit(size: ValueSize(of: value))
    switch value {
    case .array(let elements):
      for (position, element) in elements.enumerated() { add(element, at: position, to: &visit) }
    case .map(let fields): add(fields, to: &visit)
    case .object(let definition):
      add(definition.fields, to: &visit)
      visit.isKept = true
    case .reference: visit.isKept = !replacesReferences
    case .string, .bytes: break
    default: return visit
    }
    if positions.isEmpty, keepsTop { return visit }
    guard !visit.isKept, !visit.hasLarge, visit.size.bytes >= Self.bytesMin else { return visit }
    let share = visit.size.share(of: room)
    largest = max(largest, share)
    guard share >= threshold else { return visit }
    visit.hasLarge = true
    found.append(Part(positions: positions, size: visit.size))
    return visit
  }

  private mutating func add(_ fields: NamedValues<Value>, to visit: inout Visit) {
    for (position, (name, field)) in fields.enumerated() {
      visit.size += ValueSize(ofName: name)
      add(field, at: position, to: &visit)
    }
  }

  private mutating func add(_ part: Value, at position: Int, to visit: inout Visit) {
    positions.append(position)
    let below = self.visit(part)
    positions.removeLast()
    visit.size += below.size
    visit.isKept = visit.isKept || below.isKept
    visit.hasLarge = visit.hasLarge || below.hasLarge
  }
}

// MARK: Parts by their positions

extension Value {
  /// The steps of a path to the part at some positions in the value.
  fileprivate func components(of positions: [Int]) -> [PathComponent] {
    var components: [PathComponent] = []
    var value = self
    for position in positions {
      switch value {
      case .array(let elements):
        components.append(.index(position))
        value = elements[position]
      case .map(let fields):
        components.append(.member(fields[position].key))
        value = fields[position].value
      case .object(let definition):
        components.append(.property(definition.fields[position].key))
        value = definition.fields[position].value
      default: return components
      }
    }
    return components
  }

  /// Changes the part at some positions in place.
  fileprivate mutating func change(_ positions: ArraySlice<Int>, _ body: (inout Value) -> Void) {
    guard let position = positions.first else { return body(&self) }
    let below = positions.dropFirst()
    if var elements = takeArray() {
      elements[position].change(below, body)
      self = .array(elements)
    } else if var fields = takeMap() {
      fields[valueAt: position].change(below, body)
      self = .map(fields)
    } else if case .object(var definition) = self {
      self = .null
      definition.fields[valueAt: position].change(below, body)
      self = .object(definition)
    }
  }

  /// Calls the body with each array, map or object at a depth that has parts, and with its positions.
  fileprivate func forEachContainer(
    depth: Int, _ positions: [Int] = [], _ body: ([Int], Value) -> Void
  ) {
    let parts: [Value]
    switch self {
    case .array(let elements): parts = elements
    case .map(let fields): parts = Array(fields.values)
    case .object(let definition): parts = Array(definition.fields.values)
    default: return
    }
    if parts.isEmpty { return }
    if depth == 1 { return body(positions, self) }
    for (position, part) in parts.enumerated() where !part.isScalar {
      part.forEachContainer(depth: depth - 1, positions + [position], body)
    }
  }
}
