import LogGenerator
import Testing

@testable import EventLog

@Suite struct StagedRowTests {
  /// Rows that are written at once must equal rows that are written part by part.
  @Test(arguments: 0..<50 as Range<UInt64>) func aQuickRowIsTheSlowRow(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var values = RandomEvents(seed: seed)
    let unit: LogOptions.TimeUnit = seed % 2 == 0 ? .microseconds : .nanoseconds
    var quick = Stage(path: "quick", timeUnit: unit, tableBytes: .max)
    var slow = Stage(path: "slow", timeUnit: unit, tableBytes: .max)
    let path = Path(root: .named("app"), components: [.property("level")])
    let (quickPath, slowPath) = (try quick.logged(path), try slow.logged(path))
    let slowName = try slow.nameID(of: "Row")
    let quickName = StagedName(staged: try quick.nameID(of: "Row"), epoch: quick.epoch)
    var time: UInt64 = 0
    var staged = 0
    for _ in 0..<300 {
      switch random.next() % 8 {
      case 0: time = random.next()
      case 1: time &-= random.next() % 3_000
      default: time &+= random.next() % 3_000
      }
      let cause = random.next() % 2 == 0 ? nil : random.next() % (slow.nextSeq + 1)
      let isValid = cause.map { $0 > 0 && $0 < slow.nextSeq } ?? true
      switch random.next() % 3 {
      case 0:
        var value = values.value(depth: 3)
        if random.next() % 4 == 0 { value = .string(String(repeating: "é", count: Int(random.next() % 80))) }
        let isSame = random.next() % 2 == 0
        guard quick.setQuickly(quickPath, value, sameValue: isSame, time: time, cause: cause) else {
          continue
        }
        _ = try slow.set(
          UInt64(slowPath.staged), value, sameValue: isSame, time: time, cause: cause, site: nil)
      case 1:
        let flags = EventFlags(
          changed: [nil, true, false][Int(random.next() % 3)],
          inputChanged: [nil, true, false][Int(random.next() % 3)])
        let duration = random.next() >> (random.next() % 64)
        let comparing = random.next() % 2 == 0 ? 0 : random.next() >> (random.next() % 64)
        guard
          quick.evaluateQuickly(
            quickName, duration: duration, comparing: comparing, flags, time: time, cause: cause)
        else {
          #expect(!isValid, "seed \(seed)")
          continue
        }
        _ = try slow.evaluate(
          slowName, duration: duration, comparing: comparing, flags, time: time, cause: cause, site: nil)
      default:
        guard quick.invalidateQuickly(quickName, by: cause ?? 0, time: time) else {
          #expect(!isValid || cause == nil, "seed \(seed)")
          continue
        }
        _ = try slow.invalidate(slowName, causes: [cause ?? 0], time: time, cause: cause, site: nil)
      }
      staged += 1
      #expect(isValid && quick.nextSeq == slow.nextSeq, "seed \(seed)")
    }
    let (a, b) = (quick.popChunk(reusing: nil), slow.popChunk(reusing: nil))
    #expect(a.rows.bytes == b.rows.bytes && a.baseTime == b.baseTime && a.items == b.items, "seed \(seed)")
    #expect(staged > 0 && a.events == staged && b.events == staged)
  }

  @Test func aRowOfAnotherWritersPathOrOfANewNameIsLeftToTheSlowWay() throws {
    var stage = Stage(path: "a", tableBytes: .max)
    var other = Stage(path: "b", tableBytes: .max)
    let path = try other.logged(Path(root: .named("app")))
    let name = StagedName()
    let isStaged = [
      stage.setQuickly(path, .int(1), sameValue: false, time: 0, cause: nil),
      stage.evaluateQuickly(name, duration: 1, comparing: 0, EventFlags(), time: 0, cause: nil),
      stage.invalidateQuickly(name, by: 1, time: 0),
    ]
    #expect(isStaged == [false, false, false])
    #expect(stage.chunk.isEmpty && stage.nextSeq == 1)
  }

  @Test func aRowOfAnEarlierEpochIsLeftToTheSlowWay() throws {
    var stage = Stage(path: "a", tableBytes: 1)
    let path = try stage.logged(Path(root: .named("app")))
    let name = StagedName(staged: try stage.nameID(of: "Row"), epoch: stage.epoch)
    let wasStaged = [
      stage.setQuickly(path, .int(1), sameValue: false, time: 0, cause: nil),
      stage.setQuickly(path, .string("text"), sameValue: false, time: 0, cause: nil),
      stage.evaluateQuickly(name, duration: 1, comparing: 0, EventFlags(), time: 0, cause: nil),
      stage.invalidateQuickly(name, by: 1, time: 0),
    ]
    #expect(wasStaged == [true, true, true, true])
    _ = stage.popChunk(reusing: nil)
    #expect(stage.epoch != path.epoch)
    let isStaged = [
      stage.setQuickly(path, .int(1), sameValue: false, time: 0, cause: nil),
      stage.setQuickly(path, .string("text"), sameValue: false, time: 0, cause: nil),
      stage.evaluateQuickly(name, duration: 1, comparing: 0, EventFlags(), time: 0, cause: nil),
      stage.invalidateQuickly(name, by: 1, time: 0),
    ]
    #expect(isStaged == [false, false, false, false])
    #expect(stage.chunk.isEmpty && stage.nextSeq == 5)
  }

  @Test func aBufferHasRoomForARowAndKeepsWhatWasStagedWhenItGrows() {
    var buffer = StagingBuffer()
    var expected: [UInt8] = []
    for number in 0..<2_000 as Range<UInt64> {
      var row = buffer.begin()
      for _ in 0..<(number % 3) * 8 { row.put(word: number) }
      row.put(varint: number << (number % 40))
      buffer.end(row)
      for _ in 0..<(number % 3) * 8 { expected.appendLittleEndian(number) }
      expected.appendVarint(number << (number % 40))
    }
    #expect(buffer.bytes == expected)
  }
}
