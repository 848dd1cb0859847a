import Projection

/// Something that a projection reads, and what it depends on by the rule: mostly what it reads.
struct Look {
  let name: String
  let read: (Bookcase) -> String
  let rule: (Twins) -> String

  init(_ name: String, _ read: @escaping (Bookcase) -> String, rule: @escaping (Twins) -> String) {
    self.name = name
    self.read = read
    self.rule = rule
  }

  static var all: [Look] { arrays + objects + nested + dictionaries }

  private static func at<T>(_ elements: [T], _ index: Int) -> String {
    elements.indices.contains(index) ? "\(elements[index])" : "-"
  }

  private static var arrays: [Look] {
    [
      Look("rows.count", { "\($0.rows.count)" }, rule: { "\($0.rows.count)" }),
      Look("rows.isEmpty", { "\($0.rows.isEmpty)" }, rule: { "\($0.rows.count)" }),
      Look("rows.ids", { "\($0.rows.ids)" }, rule: { "\($0.rows.map(\.id))" }),
      Look("rows", { "\($0.rows)" }, rule: { "\($0.rows)" }),
      Look("rows.first", { "\($0.rows.first as Any)" }, rule: { "\($0.rows.first as Any)" }),
      Look("rows.last", { "\($0.rows.last as Any)" }, rule: { "\($0.rows.count) \($0.rows.last as Any)" }),
      Look(
        "rows[1..<3]", { $0.rows.count < 3 ? "-" : "\($0.rows[1..<3])" },
        rule: { "\($0.rows.count) \($0.rows.count < 3 ? "-" : "\($0.rows[1..<3])")" }),
      Look("lines", { $0.lines.joined(separator: "|") }, rule: { $0.lines.joined(separator: "|") }),
      Look("lines.contains", { "\($0.lines.contains("line 3"))" }, rule: { $0.lines.joined(separator: "|") }),
    ]
      + (0..<4).flatMap { index in
        [
          Look(
            "rows[\(index)]", { $0.rows.count > index ? "\($0.rows[index])" : "-" },
            rule: { "\($0.rows.count) \(at($0.rows, index))" }),
          // Reads no count: past the end it could not.
          Look(
            "lines[..<\(index)].last", { $0.lines.count > 8 ? $0.lines[index] : "-" },
            rule: { "\($0.lines.count) \($0.lines.count > 8 ? $0.lines[index] : "-")" }),
          Look(
            "rows[id: \(index)]", { "\($0.rows[id: index] as Any)" },
            rule: { twins in "\(twins.rows.first { $0.id == index } as Any)" }),
        ]
      }
  }

  private static var objects: [Look] {
    [
      Look("books.ids", { "\($0.books.ids)" }, rule: { "\($0.books.map(\.id))" }),
      Look(
        "books.titles", { $0.books.map(\.title).joined(separator: "|") },
        rule: { $0.books.map { "\($0.id) \($0.title)" }.joined(separator: "|") }),
    ]
      + (0..<3).flatMap { index in
        [
          Look(
            "books[id: \(index)].title", { $0.books[id: index]?.title ?? "-" },
            rule: { twins in twins.books.first { $0.id == index }?.title ?? "-" }),
          Look(
            "books[id: \(index)] == nil", { "\($0.books[id: index] == nil)" },
            rule: { twins in "\(twins.books.contains { $0.id == index })" }),
        ]
      }
  }

  private static var nested: [Look] {
    [Look("grid.count", { "\($0.grid.count)" }, rule: { "\($0.grid.count)" })]
      + (0..<2).flatMap { index in
        [
          Look(
            "grid[\(index)].count", { $0.grid.count > index ? "\($0.grid[index].count)" : "-" },
            rule: { "\($0.grid.count) \($0.grid.count > index ? "\($0.grid[index].count)" : "-")" }),
          Look(
            "grid[\(index)].first",
            { $0.grid.count > index ? $0.grid[index].first.map { "\($0)" } ?? "-" : "-" },
            rule: { "\($0.grid.count) \($0.grid.count > index ? at($0.grid[index], 0) : "-")" }),
        ]
      }
  }

  private static var dictionaries: [Look] {
    [
      Look("scores.count", { "\($0.scores.count)" }, rule: { "\($0.scores.count)" }),
      Look("scores.keys", { "\($0.scores.keys.sorted())" }, rule: { "\($0.scores.keys.sorted())" }),
      Look(
        "scores.values", { "\($0.scores.values.sorted())" }, rule: { "\($0.scores.sorted { $0.0 < $1.0 })" }),
    ]
      + (0..<3).flatMap { index in
        let key = "k\(index)"
        return [
          Look("scores[\(key)]", { "\($0.scores[key] as Any)" }, rule: { "\($0.scores[key] as Any)" }),
          Look("lists[\(key)] == nil", { "\($0.lists[key] == nil)" }, rule: { "\($0.lists[key] == nil)" }),
          Look(
            "lists[\(key)].count", { "\($0.lists[key]?.count ?? -1)" },
            rule: { "\($0.lists[key]?.count ?? -1)" }),
          Look(
            "lists[\(key)].first", { "\($0.lists[key]?.first ?? -1)" },
            rule: { "\($0.lists[key] == nil) \($0.lists[key]?.first ?? -1)" }),
        ]
      }
  }
}
