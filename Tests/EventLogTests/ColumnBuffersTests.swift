import Testing

@testable import EventLog

@Suite struct ColumnBuffersTests {
  private func bytes(_ column: Column, _ columns: borrowing ColumnBuffers) -> [UInt8] {
    columns.withBytes(column) { Array($0) }
  }

  @Test func numbersComeOutAsTheFormatWritesThem() {
    var columns = ColumnBuffers()
    var expected: [UInt8] = []
    let numbers = [0, 1, 127, 128, 16_383, 16_384, 1 << 35, .max] + (0..<500).map { UInt64($0) << 20 }
    for number in numbers {
      columns.put(.durations, number)
      expected.appendVarint(number)
    }
    for number in [0, -1, 1, .min, .max] as [Int64] {
      columns.putZigzag(.durations, number)
      expected.appendZigzag(number)
    }
    columns.putByte(.kinds, 7)
    columns.put(.valueDoubles, word: 0x0102_0304_0506_0708)
    // A noncopyable value cannot be used in an expectation.
    let (durations, kinds) = (bytes(.durations, columns), bytes(.kinds, columns))
    let (doubles, text) = (bytes(.valueDoubles, columns), bytes(.text, columns))
    #expect(durations == expected)
    #expect(kinds == [7])
    #expect(doubles == [8, 7, 6, 5, 4, 3, 2, 1])
    #expect(text.isEmpty)
  }

  @Test func aColumnKnowsWhetherAllItsNumbersAreZero() {
    var columns = ColumnBuffers()
    var isZero = [columns.isZero(.causes)]
    columns.put(.causes, 0 as UInt64)
    columns.putZigzag(.causes, 0)
    isZero.append(columns.isZero(.causes))
    columns.put(.causes, 128 as UInt64)
    isZero.append(columns.isZero(.causes))
    columns.removeAll()
    isZero.append(columns.isZero(.causes))
    let count = columns.count(.causes)
    #expect(isZero == [true, true, false, true])
    #expect(count == 0)
  }
}
