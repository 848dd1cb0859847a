import LogGenerator
import Testing

@testable import EventLog

/// A table of objects has the same content as a dictionary of them.
@Suite struct ObjectTableTests {
  @Test func aTableHoldsWhatADictionaryHolds() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    for trial in 0..<20 {
      var table = ObjectTable()
      var known: [ObjectID: String] = [:]
      var copies: [(ObjectTable, [ObjectID: String])] = []
      for step in 0..<500 {
        let context: Comment = "trial \(trial), step \(step), seed \(seed)"
        let id = Self.id(&random)
        #expect(table[id]?.type == known[id], context)
        #expect(table.contains(id) == (known[id] != nil), context)
        switch Int.random(in: 0..<8, using: &random) {
        case 0...2:
          table.put(State.Object(type: "\(step)", fields: [:], home: nil, homeEvent: 0), for: id)
          known[id] = "\(step)"
        case 3, 4:
          table.remove(id)
          known[id] = nil
        case 5:
          table.change(id) { $0.type += "'" }
          known[id]? += "'"
        case 6 where copies.count < 3: copies.append((table, known))
        default: Self.expect(table, holds: known, context)
        }
      }
      for (copy, known) in copies { Self.expect(copy, holds: known, "a copy, trial \(trial), seed \(seed)") }
    }
  }

  private static func expect(_ table: ObjectTable, holds known: [ObjectID: String], _ context: Comment) {
    #expect(table.count == known.count, context)
    #expect(table.isEmpty == known.isEmpty, context)
    #expect(table.keys.sorted() == known.keys.sorted(), context)
    let found = Dictionary(table.map { ($0.key, $0.value.type) }) { first, _ in "twice \(first)" }
    #expect(found == known, context)
  }

  private static func id(_ random: inout SplitMix64) -> ObjectID {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: ObjectID(UInt64.max - UInt64.random(in: 0..<4, using: &random))
    case 1: ObjectID(UInt64.random(in: 1..<8, using: &random) << 32)
    default: ObjectID(UInt64.random(in: 1..<60, using: &random))
    }
  }

  @Test func entriesOfRemovedObjectsAreTakenAgain() throws {
    var table = ObjectTable()
    for number in 1...10_000 as ClosedRange<UInt64> {
      table.put(State.Object(type: "", fields: [:], home: nil, homeEvent: 0), for: ObjectID(number))
      #expect(try #require(table.entry(of: ObjectID(number))) < 4)
      if number > 3 { table.remove(ObjectID(number - 3)) }
    }
    #expect(table.count == 3)
  }
}
