import LogGenerator
import Testing

@testable import EventLog

/// The ids of projections that ended long ago are used again, and no data of the old projection is attributed
/// to the new one.
@Suite struct RunTablesTests {
  @Test func aValueOfAProjectionWhoseIndexIsUsedAgainIsDiscarded() {
    func add(_ number: Int, to value: inout Int) -> Int {
      value += number
      return value
    }
    var map = ProjectionMap<Int>(default: -1)
    let (old, new) = (ProjectionID(3, use: 1), ProjectionID(3, use: 2))
    map[old] = 1
    map[new] = 2
    // What was discarded last is not found again.
    for _ in 0..<2 {
      let sum = add(10, to: &map[old])
      #expect(sum == 9)
    }
    #expect(map[old] == -1)
    #expect(map[new] == 2)
    #expect(map.all.map(\.value) == [-1, -1, -1, 2])
    #expect(map.count == 4)
  }

  @Test func idsAreThoseOfWhatLivesAndOfWhatEndedLately() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let kept: UInt64 = 100
    var tables = RunTables(projectionsKept: kept)
    var map = ProjectionMap<Int>(default: -1)
    var living: [(id: ProjectionID, number: Int)] = []
    var ended: [(id: ProjectionID, number: Int, seq: UInt64)] = []
    let asked = tables.keptID(ofProjection: "asked for")
    var most = 0
    for number in 0..<20_000 {
      let seq = UInt64(number) + 1
      tables.giveBackProjections()
      let isReturn = Int.random(in: 0..<10, using: &random) == 0
      if isReturn, let last = ended.last, !living.contains(where: { $0.number == last.number }) {
        // A projection that returns soon gets its old id.
        let id = tables.id(ofProjection: "P\(last.number)")
        #expect(id == last.id, "seed \(seed)")
        tables.apply(.evaluate, of: id, at: seq)
        living.append((id, last.number))
      } else {
        let id = tables.id(ofProjection: "P\(number)")
        #expect(map[id] == -1, "seed \(seed)")
        tables.apply(.projection, of: id, at: seq)
        map[id] = number
        living.append((id, number))
      }
      if living.count > 20 {
        let gone = living.remove(at: Int.random(in: 0..<living.count, using: &random))
        tables.apply(.dispose, of: gone.id, at: seq)
        ended.removeAll { $0.number == gone.number }
        ended.append((gone.id, gone.number, seq))
      }
      ended.removeAll { $0.seq + kept <= seq }
      let known = living + ended.map { ($0.id, $0.number) }
      if number % 50 == 0 {
        for one in known {
          #expect(tables.name(one.id) == "P\(one.number)", "seed \(seed)")
          #expect(map[one.id] == one.number, "seed \(seed)")
        }
      }
      most = max(most, tables.entryCount)
    }
    #expect(tables.name(asked) == "asked for")
    #expect(tables.id(ofProjection: "asked for") == asked)
    #expect(tables.projectionEpoch > 10)
    // The living projections, and at most four times those that ended recently.
    #expect(most <= 21 + 4 * Int(kept) + 1, "\(most) names, seed \(seed)")
  }

  @Test func withoutALimitIdsHoldForEver() {
    var tables = RunTables(projectionsKept: nil)
    let first = tables.id(ofProjection: "P0")
    for number in 1..<1000 {
      let id = tables.id(ofProjection: "P\(number)")
      tables.apply(.dispose, of: id, at: UInt64(number))
      tables.giveBackProjections()
    }
    #expect(tables.entryCount == 1000)
    #expect(tables.name(first) == "P0" && first.use == 0)
  }

  @Test func stringsThatAreRemovedLeaveTheOthers() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var table = StringTable()
    var ids: [String: Int] = [:]
    for round in 0..<200 {
      for _ in 0..<20 {
        var text = "text \(Int.random(in: 0..<500, using: &random))"
        let id = text.withUTF8 { table.intern($0) }
        #expect(ids[text, default: id] == id, "seed \(seed)")
        ids[text] = id
      }
      if round % 7 == 0 {
        let gone = ids.keys.filter { _ in Bool.random(using: &random) }
        table.remove(gone.compactMap { ids.removeValue(forKey: $0) })
      }
      #expect(table.count == ids.count, "seed \(seed)")
      #expect(Set(ids.values).count == ids.count, "seed \(seed)")
    }
    for (text, id) in ids { #expect(table.string(id) == text, "seed \(seed)") }
  }

  @Test(arguments: [
    "app", "#7", "app.a", "app.a[3]", #"app.rows["a"].title"#, "app.a[id: 7].b", #"#7.a[id: "x"]"#,
    "app.a[#count]", "app[#order]", "app.a[id: 0.5]", "app.a[id: true][#exists]",
  ])
  func aPathIsTheOneAboveItAndItsLastStep(text: String) throws {
    let path = try Path(parsing: text)
    var tables = RunTables()
    var id = tables.id(of: path)
    for component in path.components.reversed() {
      guard case .component(component, let above) = tables.step(id) else {
        Issue.record("\(tables.path(id)) does not end with \(component)")
        return
      }
      id = above
    }
    #expect(tables.step(id) == .root(path.root))
  }
}
