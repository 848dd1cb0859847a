import EventLog
import Foundation
import Testing

@testable import Projection

@Suite struct EncodingValues {
  @Test func numbersKeepTheirKindAndTheirBits() {
    #expect(encoded(5) == .int(5))
    #expect(encoded(Int8(-5)) == .int(-5))
    #expect(encoded(UInt64(7)) == .int(7))
    #expect(encoded(UInt64.max) == .uint(.max))
    #expect(encoded(Int128.max) == .string("170141183460469231731687303715884105727"))
    #expect(encoded(1.0) == .double(1))
    #expect(encoded(Float(0.1)) == .double(Double(Float(0.1))))
    #expect(encoded(true) == .bool(true))
    guard case .double(let zero) = encoded(-0.0) else { return #expect(Bool(false), "not a double") }
    #expect(zero.sign == .minus)
  }

  @Test func textsOfEveryKindAreStrings() {
    #expect(encoded("a") == "a")
    #expect(encoded("abc".dropFirst()) == "bc")
    #expect(encoded(Character("é")) == "é")
    #expect(encoded(Unicode.Scalar(65)) == "A")
  }

  @Test func optionalsAreTheirValueOrNull() {
    #expect(encoded(Int?.none) == .null)
    #expect(encoded(Int?.some(3)) == 3)
    #expect(encoded(Int??.some(.some(3))) == 3)
    #expect(encoded(Int??.some(nil)) == .null)
    #expect(encoded(Optional<Any>.some("x")) == "x")
  }

  @Test func foundationValuesLoseNothing() throws {
    let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    #expect(encoded(id) == .string("E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    #expect(encoded(try #require(URL(string: "https://a.example/b?c=d"))) == "https://a.example/b?c=d")
    #expect(encoded(Date(timeIntervalSinceReferenceDate: 0.1)) == .date(0.1))
    #expect(encoded(Data([1, 2])) == .bytes([1, 2]))
    #expect(encoded(Decimal(string: "0.1")) == "0.1")
  }

  @Test func rawValuesStandForTheirEnums() {
    enum Tab: String { case home, settings }
    struct Options: OptionSet { let rawValue: Int }
    #expect(encoded(Tab.settings) == "settings")
    #expect(encoded(Options(rawValue: 6)) == 6)
  }

  @Test func arraysKeepTheirOrder() {
    #expect(encoded([3, 1, 2]) == [3, 1, 2])
    #expect(encoded([[1], []]) == [[1], []])
    #expect(encoded([1, "a", nil] as [Any?]) == [1, "a", .null])
    #expect(encoded([1, 2, 3].dropFirst()) == [2, 3])
  }

  @Test func setsHaveAnOrderOfTheirOwn() {
    #expect(encoded(Set([10, 9, 100])) == [9, 10, 100])
    #expect(encoded(Set(["b", "a"])) == ["a", "b"])
  }

  @Test func dictionariesWithTextualKeysAreMaps() {
    #expect(encoded(["b": 1, "a": 2]) == .map(["a": 2, "b": 1]))
    #expect(encoded([2: "two"]) == .map(["2": "two"]))
    enum Key: String { case one }
    #expect(encoded([Key.one: 1]) == .map(["one": 1]))
    guard case .map(let map) = encoded(["b": 1, "a": 2, "c": 3]) else {
      return #expect(Bool(false), "not a map")
    }
    #expect(Array(map.keys) == ["a", "b", "c"])
  }

  @Test func dictionariesWithOtherKeysAreSortedPairs() {
    struct Point: Hashable { var x: Int }
    #expect(
      encoded([Point(x: 2): "b", Point(x: 1): "a"])
        == [[.map(["x": 1]), "a"], [.map(["x": 2]), "b"]])
  }

  @Test func keysWithOneTextMakePairsSoThatNoneIsLost() {
    struct Key: Hashable, LosslessStringConvertible {
      var number: Int
      init(_ number: Int) { self.number = number }
      init?(_ description: String) { nil }
      var description: String { "same" }
    }
    guard case .array(let pairs) = encoded([Key(1): 1, Key(2): 2]) else {
      return #expect(Bool(false), "not pairs")
    }
    #expect(pairs.count == 2)
  }

  @Test func recordableTypesDefineTheirRecordedValue() {
    struct Color: RecordableValue, Encodable {
      var red = 1
      func recordedValue(in context: inout EncodingContext) -> Value { "#ff0000" }
    }
    #expect(encoded(Color()) == "#ff0000")
    #expect(encoded([Color()]) == ["#ff0000"])
  }

  @Test func identifiableElementsAreRecordedWithTheirID() {
    struct Row: Identifiable, Encodable {
      var name: String
      var id: String { name + "!" }
    }
    #expect(encoded([Row(name: "a")]) == [.map(["id": "a!", "name": "a"])])
    #expect(encoded(["k": Row(name: "a")]) == .map(["k": .map(["id": "a!", "name": "a"])]))
    #expect(encoded(Row(name: "a")) == .map(["name": "a"]))
  }
}
