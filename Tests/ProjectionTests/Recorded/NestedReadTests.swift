import Foundation
import Projection
import Testing

/// A recorded collection keeps its path when it is read from another collection in any way: reads of it are
/// dependencies like reads of `grid[0][0]`.
@Suite struct NestedReadTests {
  private let session = Session()
  private let shelf = Bookcase()

  init() {
    session.attach(shelf, as: "s")
    shelf.grid = [[0, 1, 2], [10, 11], [20, 21]]
    shelf.lists = ["a": [1, 2], "b": [3, 4]]
  }

  private func invalidated(by body: () -> Void) -> [String] {
    session.measure(body).evaluationsByInstance.keys.sorted()
  }

  /// Ways to read the first number of every collection, or of the first one.
  private static let ways: [(name: String, read: @Sendable (Bookcase) -> Int?)] = [
    ("[0]", { $0.grid[0][0] }),
    ("first", { $0.grid.first?[0] }),
    ("first.first", { $0.grid.first?.first }),
    ("first(where:)", { $0.grid.first { $0[0] == 0 }?[0] }),
    ("firstIndex(where:)", { shelf in shelf.grid.firstIndex { $0[0] == 20 }.map { shelf.grid[$0][0] } }),
    ("contains(where:)", { $0.grid.contains { $0[0] == 20 } ? 1 : 0 }),
    ("allSatisfy", { $0.grid.allSatisfy { $0[0] >= 0 } ? 1 : 0 }),
    ("last(where:)", { $0.grid.last { $0[0] < 10 }?[0] }),
    (
      "for in",
      {
        var sum = 0
        for inner in $0.grid { sum += inner[0] }
        return sum
      }
    ),
    ("indices", { shelf in shelf.grid.indices.reduce(0) { $0 + shelf.grid[$1][0] } }),
    ("map", { $0.grid.map { $0[0] }.max() }),
    ("compactMap", { $0.grid.compactMap(\.first).max() }),
    ("flatMap", { $0.grid.flatMap { [$0[0]] }.max() }),
    ("reduce", { $0.grid.reduce(0) { $0 + $1[0] } }),
    ("filter", { $0.grid.filter { $0[0] == 0 }.first?[0] }),
    (
      "forEach",
      {
        $0.grid.forEach { _ = $0[0] }; return 0
      }
    ),
    ("min(by:)", { $0.grid.min { $0[0] < $1[0] }?[0] }),
    ("max(by:)", { $0.grid.max { $0[0] < $1[0] }?[0] }),
    ("sorted(by:)", { $0.grid.sorted { $0[0] < $1[0] }[0][0] }),
    ("Array", { Array($0.grid)[0][0] }),
    ("RecordedArray", { RecordedArray($0.grid)[0][0] }),
    ("+", { ($0.grid + [[5]])[0][0] }),
    ("[0..<2]", { $0.grid[0..<2][0][0] }),
    ("[...]", { $0.grid[...].first?[0] }),
    ("prefix", { $0.grid.prefix(2).first?[0] }),
    ("prefix(while:)", { $0.grid.prefix { $0[0] < 15 }.first?[0] }),
    ("suffix", { $0.grid.suffix(3).first?[0] }),
    ("dropLast", { $0.grid.dropLast().first?[0] }),
    ("dropFirst", { $0.grid.dropFirst(0).first?[0] }),
    ("reversed", { $0.grid.reversed().last?[0] }),
    ("enumerated", { $0.grid.enumerated().first { $0.offset == 0 }?.element[0] }),
    ("zip", { zip($0.grid, 0...).first { $0.1 == 0 }?.0[0] }),
    ("lazy", { $0.grid.lazy.map { $0[0] }.first }),
    ("lazy.filter", { $0.grid.lazy.filter { $0[0] == 0 }.first?[0] }),
    ("generic", { first(of: $0.grid)?[0] }),
  ]

  private static func first<C: Collection>(of collection: C) -> C.Element? {
    collection.isEmpty ? nil : collection[collection.startIndex]
  }

  @Test(arguments: ways.map(\.name)) func onlyWhatIsReadOfAnElementIsADependency(name: String) throws {
    let way = try #require(Self.ways.first { $0.name == name })
    session.projection("p") { _ in way.read(shelf) }
    #expect(invalidated { shelf.grid[0][1] += 100 } == [])
    #expect(invalidated { shelf.grid[1][1] += 100 } == [])
    #expect(invalidated { shelf.grid[0].append(7) } == [])
    #expect(invalidated { shelf.grid[0][0] = -1 } == ["p"])
  }

  @Test func theLastIsFollowedByWhatIsReadOfItAndByTheCount() {
    session.projection("last") { _ in shelf.grid.last?[0] }
    session.projection("random") { _ in shelf.grid.randomElement()?.count ?? -1 < 0 }
    #expect(invalidated { shelf.grid[2][1] = 5 } == [])
    #expect(invalidated { shelf.grid[2][0] = 5 } == ["last"])
    #expect(invalidated { shelf.grid.append([1]) } == ["last", "random"])
  }

  @Test func whetherThereIsAFirstIsFollowedAndTheCountIsNot() {
    session.projection("is there") { _ in shelf.grid.first != nil }
    session.projection("first of first") { _ in shelf.grid.first?.first }
    session.projection("all") { _ in shelf.grid.reduce(0) { sum, _ in sum + 1 } }
    #expect(invalidated { shelf.grid.append([1]) } == ["all"])
    #expect(invalidated { shelf.grid.remove(at: 0) } == ["all", "first of first"])
    #expect(invalidated { shelf.grid[0] = [10, 12] } == [])
    #expect(invalidated { shelf.grid = [] } == ["all", "first of first", "is there"])
    #expect(invalidated { shelf.grid.append([10]) } == ["all", "first of first", "is there"])
  }

  @Test func aSearchThatFindsFollowsNothingBehindWhatItFound() {
    session.projection("found") { _ in shelf.grid.firstIndex { $0.contains(11) } }
    session.projection("none") { _ in shelf.grid.contains { $0.count > 9 } }
    #expect(invalidated { shelf.grid.append([]) } == ["none"])
    #expect(invalidated { shelf.grid[2][0] = 1 } == [])
    #expect(invalidated { shelf.grid[0].append(1) } == ["found", "none"])
    #expect(invalidated { shelf.grid.removeLast() } == ["none"])
    #expect(invalidated { shelf.grid.insert([], at: 0) } == ["found", "none"])
  }

  /// Ways to read the first number for a key.
  private static let keyedWays: [(name: String, read: @Sendable (Bookcase) -> Int?)] = [
    ("[key]", { $0.lists["a"]?[0] }),
    ("[key, default:]", { $0.lists["a", default: [0]][0] }),
    ("[position]", { shelf in shelf.lists.index(forKey: "a").map { shelf.lists[$0].value[0] } }),
    ("first(where:)", { $0.lists.first { $0.key == "a" }?.value[0] }),
    ("values", { $0.lists.values.map { $0[0] }.min() }),
    ("values.first(where:)", { $0.lists.values.first { $0[0] == 1 }?[0] }),
    (
      "for in",
      {
        var sum = 0
        for (_, list) in $0.lists { sum += list[0] }
        return sum
      }
    ),
    ("reduce", { $0.lists.reduce(0) { $0 + $1.value[0] } }),
    ("contains(where:)", { $0.lists.contains { $0.value[0] == 100 } ? 1 : 0 }),
    ("filter", { $0.lists.filter { $0.key == "a" }["a"]?[0] }),
    ("mapValues", { $0.lists.mapValues { $0[0] }["a"] }),
    ("compactMapValues", { $0.lists.compactMapValues(\.first)["a"] }),
    ("merging", { $0.lists.merging(["c": [0]]) { $1 }["a"]?[0] }),
    ("min(by:)", { $0.lists.min { $0.value[0] < $1.value[0] }?.value[0] }),
    ("sorted(by:)", { $0.lists.sorted { $0.key < $1.key }[0].value[0] }),
    ("lazy", { $0.lists.lazy.filter { $0.key == "a" }.first?.value[0] }),
  ]

  @Test(arguments: keyedWays.map(\.name)) func onlyWhatIsReadOfAValueIsADependency(name: String) throws {
    let way = try #require(Self.keyedWays.first { $0.name == name })
    session.projection("p") { _ in way.read(shelf) }
    #expect(invalidated { shelf.lists["a"]?[1] += 100 } == [])
    #expect(invalidated { shelf.lists["b"]?.append(7) } == [])
    #expect(invalidated { shelf.lists["a"]?[0] = -1 } == ["p"])
    #expect(invalidated { shelf.lists["a"] = nil } == ["p"])
  }

  @Test func aCollectionThatIsHandedOutIsFollowedAsAWhole() {
    session.projection("first") { _ in shelf.grid.first }
    session.projection("[0]") { _ in shelf.grid[0] }
    session.projection("map") { _ in shelf.grid.map { $0 } }
    session.projection("prefix") { _ in shelf.grid.prefix(1) }
    session.projection("filter") { _ in shelf.grid.filter { $0.isEmpty || true } }
    session.projection("[key]") { _ in shelf.lists["a"] }
    session.projection("values") { _ in shelf.lists.mapValues { $0 } }
    let derived = session.derived("derived") { shelf.grid.first }
    let throwing = session.derived("throwing") { () throws in shelf.grid.first }
    session.projection("of derived") { _ in derived.value?.count }
    session.projection("of throwing") { _ in try? throwing.value?.count }
    #expect(
      invalidated { shelf.grid[0][2] = 7 } == [
        "[0]", "derived", "filter", "first", "map", "of derived", "of throwing", "prefix", "throwing",
      ])
    #expect(invalidated { shelf.lists["a"]?.append(7) } == ["[key]", "values"])
  }

  @Test func aDerivedCollectionIsWhatItWouldBeComputedNow() {
    let rows = session.derived("rows") { shelf.rows }
    #expect(rows.value.isEmpty)
    shelf.rows.append(Item(id: 1))
    #expect(rows.value.elements == [Item(id: 1)])
  }

  @Test func everySetOfACollectionIsReceived() {
    var received: [[Int]] = []
    session.onReceive(of: \.plain, in: shelf) { received.append($0) }
    session.onReceive(of: \.rows, in: shelf) { received.append($0.map(\.id)) }
    for id in 1...3 { shelf.rows.append(Item(id: id)) }
    shelf.plain = [9]
    shelf.rows = []
    #expect(received == [[1], [1, 2], [1, 2, 3], [9], []])
  }

  /// A body that passes a copy to its children must make a new copy.
  @Test func aChildThatReadsACopyOfItsParentsSeesWhatIsThereNow() {
    var seen: [Int: String] = [:]
    session.projection("List") { list in
      for (row, inner) in shelf.grid.enumerated() {
        list.child("Row", id: row) { _ in seen[row] = inner.map { "\($0)" }.joined(separator: " ") }
      }
    }
    shelf.grid[0].append(3)
    shelf.grid[1][0] = 5
    shelf.grid[0][0] = 7
    #expect(seen == [0: "7 1 2 3", 1: "5 11", 2: "20 21"])
  }

  @Test func aChildThatReadsACopyOfAPropertySeesWhatIsThereNow() {
    shelf.rows = RecordedArray((0..<3).map { Item(id: $0) })
    var seen: [Int: Int] = [:]
    session.projection("List") { list in
      let rows = shelf.rows
      for index in 0..<3 { list.child("Row", id: index) { _ in seen[index] = rows[index].count } }
    }
    session.projection("Table") { table in
      for index in 0..<shelf.rows.count { table.child("Cell", id: index) { _ in shelf.rows[index].count } }
    }
    #expect(invalidated { shelf.rows[1].count = 5 } == ["Cell#1", "List", "Row#0", "Row#1", "Row#2"])
    #expect(invalidated { shelf.rows[2].count = 6 } == ["Cell#2", "List", "Row#0", "Row#1", "Row#2"])
    #expect(seen == [0: 0, 1: 5, 2: 6])
  }

  @Test func readsWithinARedactedValueCountAsReadsOfTheValue() {
    let safe = Safe()
    session.attach(safe, as: "safe")
    session.projection("first") { _ in safe.grid.first?[0] }
    session.projection("all") { _ in safe.grid.map(\.count) }
    session.projection("search") { _ in safe.grid.contains { $0[0] == 1 } }
    session.projection("id") { _ in safe.rows.contains(id: 3) }
    #expect(invalidated { safe.grid[0][1] = 9 } == ["all", "first", "search"])
    #expect(invalidated { safe.rows.append(Item(id: 4)) } == ["id"])
  }
}

@Recorded private final class Safe {
  @Redacted var grid: RecordedArray<RecordedArray<Int>> = [[1, 2]]
  @Redacted var rows: RecordedArray<Item> = []
}
