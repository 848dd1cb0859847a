/// The app's state in the brute-force model.
struct ModelState {
  /// A place that a node can depend on.
  enum Place: Hashable {
    case field(Int, Program.Field)
    case rows
    case count
    case index(Int)
    case id(Int)
    case next
    case derived(Int)
    case knot(Int, ModelKnots.Place)

    /// The property that contains the place.
    var property: Place {
      switch self {
      case .count, .index, .id: .rows
      case .knot(let knot, let place): .knot(knot, place.property)
      default: self
      }
    }

    /// The object that contains the place.
    var cell: Int {
      switch self {
      case .field(let cell, _): cell
      case .knot(let knot, _): Self.cell(ofKnot: knot)
      default: 0
      }
    }

    /// The cells come before the objects that refer to each other.
    static func cell(ofKnot knot: Int) -> Int { 2 + knot }
  }

  var fields = [[0, 0, 0], [0, 0, 0]]
  var rows: [Program.Item] = []
  var next: Int?
  var results: [Int: Int] = [:]
  /// Whether the session records the second cell.
  var isAttached = true
  var knots = ModelKnots()

  /// Whether the session records a place.
  func isKnown(_ place: Place) -> Bool {
    if case .knot(let knot, _) = place { knots.isAttached(knot) } else { isAttached || place.cell != 1 }
  }

  /// The value at a place as far as the session records it. A place that is newly recorded has a new value.
  func look(_ place: Place) -> [Int]? { isKnown(place) ? value(place) : nil }

  /// The value at a place; empty where there is none.
  func value(_ place: Place) -> [Int] {
    switch place {
    case .field(let cell, let field): [fields[cell][field.rawValue]]
    case .rows: rows.flatMap { [$0.id, $0.n] }
    case .count: [rows.count]
    case .index(let index): index < rows.count ? [rows[index].id, rows[index].n] : []
    case .id(let id): rows.first { $0.id == id }.map { [$0.id, $0.n] } ?? []
    case .next: next.map { [$0] } ?? []
    case .derived(let index): results[index].map { [$0] } ?? []
    case .knot(let knot, let place): knots.value(place, of: knot)
    }
  }

  /// Applies an edit, and returns the property that was set; nil if the edit does not apply.
  mutating func apply(_ edit: Program.Edit) -> Place? {
    switch edit {
    case .set(let cell, let field, let value):
      fields[cell][field.rawValue] = value
      return .field(cell, field)
    case .point(let cell):
      // An object that only this reference names would invalidate its readers when the reference moves.
      if cell == 1, !isAttached { return nil }
      next = cell
      return .next
    case .append(let item):
      if rows.contains(where: { $0.id == item.id }) { return nil }
      rows.append(item)
    case .remove(let index):
      if index >= rows.count { return nil }
      rows.remove(at: index)
    case .setElement(let index, let n):
      if index >= rows.count { return nil }
      rows[index].n = n
    case .setByID(let id, let n):
      guard let index = rows.firstIndex(where: { $0.id == id }) else { return nil }
      rows[index].n = n
    case .swap(let a, let b):
      if max(a, b) >= rows.count { return nil }
      (rows[a], rows[b]) = (rows[b], rows[a])
    case .replace(let items): rows = items
    case .knot(let edit): return knots.apply(edit).map { .knot($0.knot, $0.property) }
    }
    return .rows
  }

  /// The cells that have become recorded.
  func attached(since before: ModelState) -> Set<Int> {
    Set(knots.attached(since: before.knots).map { Place.cell(ofKnot: $0) })
      .union(isAttached && !before.isAttached ? [1] : [])
  }

  /// An error as the result of a derived value.
  static func encode(_ failure: Program.Failure) -> Int { 1_000 + failure.code }

  /// The error that a result stands for, if any.
  static func failure(_ result: Int) -> Program.Failure? {
    result >= 900 ? Program.Failure(code: result - 1_000) : nil
  }

  /// One number for all rows.
  static func digest(_ rows: [Program.Item]) -> Int {
    rows.reduce(7) { ($0 * 31 + $1.id * 5 + $1.n) % 10_007 }
  }
}
