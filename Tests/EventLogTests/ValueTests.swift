import EventLog
import Testing

@Suite struct ValueTests {
  @Test func nanEqualsNanAndZeroEqualsMinusZero() {
    #expect(Value.double(.nan) == .double(-.nan))
    #expect(Value.double(0.0) == .double(-0.0))
    #expect(Value.double(0.0).hashValue == Value.double(-0.0).hashValue)
    #expect(Value.int(1) != .double(1))
  }

  @Test func aMapIsTheSameInAnyOrder() {
    #expect(Value.map(["a": 1, "b": 2]) == .map(["b": 2, "a": 1]))
    #expect(Value.map(["a": 1, "b": 2]) != .map(["b": 1, "a": 2]))
    #expect(Value.map(["a": 1, "b": 2]).hashValue == Value.map(["b": 2, "a": 1]).hashValue)
  }

  @Test func mapsOfTheSameSizeRarelyHaveTheSameHash() {
    let maps = (0..<1_000).map { Value.map(["bank": .int(Int64($0 / 30)), "branch": .int(Int64($0 % 30))]) }
    #expect(Set(maps.map(\.hashValue)).count > 990)
  }
}
