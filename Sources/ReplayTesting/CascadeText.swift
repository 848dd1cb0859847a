import EventLog
import Projection

/// A cascade as lines of text, alike branches laid together.
struct CascadeText {
  private let cascade: Cascade
  private let children: [Int?: [Int]]
  /// What each branch looks like, but for the instances it is of: equal numbers are alike.
  private let shapes: [Int]

  /// So many alike branches are shown as one.
  private static let manyAlike = 4
  /// Nobody reads deeper than this.
  private static let maximumDepth = 40

  init(_ cascade: Cascade) {
    self.cascade = cascade
    children = Dictionary(grouping: cascade.entries.indices) { cascade.entries[$0].parent }
    shapes = Self.shapes(of: cascade, children)
  }

  var lines: [String] { lines(below: [nil], depth: 0) }

  /// Children come after their parents, so from the end on all that hangs below an entry is known.
  private static func shapes(of cascade: Cascade, _ children: [Int?: [Int]]) -> [Int] {
    struct Shape: Hashable {
      var label: ExactString
      var below: [Int]
    }
    var numbers: [Shape: Int] = [:]
    var shapes = Array(repeating: 0, count: cascade.entries.count)
    for entry in cascade.entries.indices.reversed() {
      let below = (children[entry] ?? []).map { shapes[$0] }
      let shape = Shape(label: ExactString(cascade.entries[entry].kind.label), below: below)
      shapes[entry] = numbers[shape] ?? numbers.count
      numbers[shape] = shapes[entry]
    }
    return shapes
  }

  /// The lines of all that hangs below any of these, which are alike.
  private func lines(below parents: [Int?], depth: Int) -> [String] {
    let entries = parents.flatMap { children[$0] ?? [] }
    if entries.isEmpty { return [] }
    if depth == Self.maximumDepth { return ["and more below"] }
    let many = Dictionary(grouping: entries) { shapes[$0] }.filter { $0.value.count >= Self.manyAlike }
    return entries.flatMap { entry in
      guard let alike = many[shapes[entry]] else { return branch(of: [entry], depth) }
      return entry == alike[0] ? branch(of: alike, depth) : []
    }
  }

  private func branch(of alike: [Int], _ depth: Int) -> [String] {
    let below = lines(below: alike.map { $0 }, depth: depth + 1)
    let isWriter = alike.contains { (children[$0] ?? []).contains { cascade.entries[$0].kind.isAppWrite } }
    return [Cascade.title(of: alike.map { cascade.entries[$0].kind }, isWriter: isWriter)]
      + below.map { "  " + $0 }
  }
}
