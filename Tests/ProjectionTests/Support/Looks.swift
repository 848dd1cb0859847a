import Projection

/// A read of a projection, and its dependencies by the rule, which are mostly the value read.
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

  /// The dependencies of a search from the front: the elements up to the one found, or all.
  private static func upTo<T>(_ elements: [T], _ predicate: (T) -> Bool) -> String {
    elements.firstIndex(where: predicate).map { "\(elements[...$0])" } ?? "none of \(elements)"
  }

  private static var arrays: [Look] {
    [
      Look(
        "rows.first(where:)", { "\($0.rows.first { $0.count == 1 } as Any)" },
        rule: { upTo($0.rows) { $0.count == 1 } }),
      Look(
        "rows.firstIndex(where:)", { "\($0.rows.firstIndex { $0.id > 4 } as Any)" },
        rule: { upTo($0.rows) { $0.id > 4 } }),
      Look(
        "rows.contains(where:)", { "\($0.rows.contains { $0.count > 1 })" },
        rule: { upTo($0.rows) { $0.count > 1 } }),
      Look(
        "rows.allSatisfy", { "\($0.rows.allSatisfy { $0.id != 5 })" },
        rule: { upTo($0.rows) { $0.id == 5 } }),
      Look(
        "rows.last(where:)", { "\($0.rows.last { $0.count == 1 } as Any)" },
        rule: { "\($0.rows.count) \(upTo($0.rows.reversed()) { $0.count == 1 })" }),
      Look(
        "lines.firstIndex(of:)", { "\($0.lines.firstIndex(of: "line 2") as Any)" },
        rule: { upTo($0.lines) { $0 == "line 2" } }),
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
      Look(
        "lines.contains", { "\($0.lines.contains("line 3"))" }, rule: { upTo($0.lines) { $0 == "line 3" } }),
    ]
      + (0..<4).flatMap { index in
        [
          Look(
            "rows[\(index)]", { $0.rows.count > index ? "\($0.rows[index])" : "-" },
            rule: { "\($0.rows.count) \(at($0.rows, index))" }),
          // Checking the count reads it too.
          Look(
            "lines[..<\(index)].last", { $0.lines.count > 8 ? $0.lines[index] : "-" },
            rule: { "\($0.lines.count) \($0.lines.count > 8 ? $0.lines[index] : "-")" }),
          Look(
            "rows[id: \(index)]", { "\($0.rows[id: index] as Any)" },
            rule: { twins in "\(twins.rows.first { $0.id == index } as Any)" }),
          Look(
            "rows.contains(id: \(index))", { "\($0.rows.contains(id: index))" },
            rule: { twins in "\(twins.rows.contains { $0.id == index })" }),
        ]
      }
  }

  private static var objects: [Look] {
    [
      Look("books.ids", { "\($0.books.ids)" }, rule: { "\($0.books.map(\.id))" }),
      Look(
        "books.titles", { $0.books.map(\.title).joined(separator: "|") },
        rule: { $0.books.map { "\($0.id) \($0.title)" }.joined(separator: "|") }),
      // By id, which is constant: a read of a title names the object by one of its places, and it may have
      // two.
      Look(
        "books.first(where:)", { "\($0.books.first { $0.id == 2 } == nil)" },
        rule: { upTo($0.books.map(\.id)) { $0 == 2 } }),
    ]
      + (0..<3).flatMap { index in
        [
          Look(
            "books[id: \(index)].title", { $0.books[id: index]?.title ?? "-" },
            rule: { twins in twins.books.first { $0.id == index }?.title ?? "-" }),
          Look(
            "books[id: \(index)] == nil", { "\($0.books[id: index] == nil)" },
            rule: { twins in "\(twins.books.contains { $0.id == index })" }),
          Look(
            "books.contains(id: \(index))", { "\($0.books.contains(id: index))" },
            rule: { twins in "\(twins.books.contains { $0.id == index })" }),
        ]
      }
  }

  private static var nested: [Look] {
    [
      Look("grid.count", { "\($0.grid.count)" }, rule: { "\($0.grid.count)" }),
      Look(
        "grid.first.count", { "\($0.grid.first?.count ?? -1)" }, rule: { "\($0.grid.first?.count ?? -1)" }),
      Look("grid.first", { "\($0.grid.first as Any)" }, rule: { "\($0.grid.first as Any)" }),
      Look(
        "grid.last.first", { "\($0.grid.last?.first ?? -1)" },
        rule: { "\($0.grid.count) \(at($0.grid.last ?? [], 0))" }),
      Look(
        "grid.map(count)", { "\($0.grid.map(\.count))" }, rule: { "\($0.grid.map(\.count))" }),
      Look(
        "grid for in",
        { shelf in
          var text = ""
          for inner in shelf.grid { text += "\(inner.first ?? -1) " }
          return text
        }, rule: { "\($0.grid.map { at($0, 0) })" }),
      Look(
        "grid.first(where:)", { "\($0.grid.first { $0.count > 1 }?.first ?? -1)" },
        rule: { twins in
          let found = twins.grid.first { $0.count > 1 }
          return upTo(twins.grid.map(\.count)) { $0 > 1 } + at(found ?? [], 0)
        }),
      Look(
        "grid.dropFirst.first", { "\($0.grid.dropFirst().first?.first ?? -1)" },
        rule: { "\($0.grid.count) \($0.grid.count > 1 ? at($0.grid[1], 0) : "-")" }),
      Look(
        "grid.reversed", { "\($0.grid.reversed().first?.count ?? -1)" },
        rule: { "\($0.grid.count) \($0.grid.last?.count ?? -1)" }),
      Look("grid", { "\($0.grid)" }, rule: { "\($0.grid)" }),
    ]
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
      Look(
        "scores.contains(where:)", { "\($0.scores.contains { $0.value > 1 })" },
        rule: { "\($0.scores.sorted { $0.0 < $1.0 })" }),
      Look(
        "lists.values.counts", { "\($0.lists.values.map(\.count).sorted())" },
        rule: { "\($0.lists.mapValues(\.count).sorted { $0.0 < $1.0 })" }),
      Look(
        "lists.mapValues.first", { "\($0.lists.mapValues { $0.first ?? -1 }.count)" },
        rule: { "\($0.lists.mapValues { $0.first ?? -1 }.sorted { $0.0 < $1.0 })" }),
    ]
      + (0..<3).flatMap { index in
        let key = "k\(index)"
        return [
          Look("scores[\(key)]", { "\($0.scores[key] as Any)" }, rule: { "\($0.scores[key] as Any)" }),
          Look(
            "scores.contains(\(key))", { "\($0.scores.contains(key: key))" },
            rule: { "\($0.scores[key] == nil)" }),
          Look(
            "lists.contains(\(key))", { "\($0.lists.contains(key: key))" },
            rule: { "\($0.lists[key] == nil)" }),
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
