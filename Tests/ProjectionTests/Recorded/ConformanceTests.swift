import Foundation
import Projection
import Testing

/// The interfaces of arrays and dictionaries.
@Suite struct ConformanceTests {
  @Test func anArrayDoesWhatAnArrayDoes() throws {
    var array: RecordedArray = [3, 1, 2]
    #expect(array == [3, 1, 2] && array.hashValue == RecordedArray([3, 1, 2]).hashValue)
    #expect("\(array)" == "[3, 1, 2]" && String(reflecting: array) == "[3, 1, 2]")
    #expect(Mirror(reflecting: array).children.count == 3)
    #expect(try JSONDecoder().decode(RecordedArray<Int>.self, from: JSONEncoder().encode(array)) == array)
    #expect(array.first == 3 && array.last == 2 && array.max() == 3 && array.firstIndex(of: 2) == 2)
    #expect(Array(array[1...]) == [1, 2] && array.reversed() == [2, 1, 3] && array.sorted() == [1, 2, 3])
    array.sort()
    array += [7]
    array[1...2] = [9]
    #expect(array == [1, 9, 7])
    #expect(array.partition { $0 > 5 } == 1 && array.popLast() != nil)
    array.removeAll { $0 == 1 }
    #expect(array.count == 1 && RecordedArray(repeating: 0, count: 2) + [1] == [0, 0, 1])
    array.reserveCapacity(100)
    #expect(array.capacity >= 100)
    let sent: any Sendable = array
    #expect(sent is RecordedArray<Int>)
  }

  @Test func aDictionaryDoesWhatADictionaryDoes() throws {
    var dictionary: RecordedDictionary = ["a": 1, "b": 2]
    #expect(
      dictionary == ["b": 2, "a": 1]
        && dictionary.hashValue == RecordedDictionary(["a": 1, "b": 2]).hashValue)
    #expect("\(dictionary)" == "\(dictionary.entries)")
    let data = try JSONEncoder().encode(dictionary)
    #expect(try JSONDecoder().decode(RecordedDictionary<String, Int>.self, from: data) == dictionary)
    #expect(
      dictionary.mapValues { $0 * 2 } == ["a": 2, "b": 4] && dictionary.filter { $0.value > 1 } == ["b": 2])
    #expect(dictionary.compactMapValues { $0 > 1 ? "x" : nil } == ["b": "x"])
    #expect(dictionary.merging(["b": 5, "c": 6]) { $0 + $1 } == ["a": 1, "b": 7, "c": 6])
    #expect(dictionary.updateValue(3, forKey: "a") == 1 && dictionary.removeValue(forKey: "x") == nil)
    #expect(dictionary.keys.sorted() == ["a", "b"] && dictionary.values.sorted() == [2, 3])
    let position = try #require(dictionary.index(forKey: "b"))
    #expect(dictionary[position] == ("b", 2) && dictionary.first != nil && dictionary.count == 2)
    #expect(
      dictionary.remove(at: position).value == 2 && dictionary.popFirst()?.key == "a" && dictionary.isEmpty)
    #expect(RecordedDictionary(uniqueKeysWithValues: [(1, 2)]) == [1: 2])
    #expect(RecordedDictionary([(1, 2), (1, 3)], uniquingKeysWith: +) == [1: 5])
    #expect(RecordedDictionary(grouping: [1, 2, 3]) { $0 % 2 } == [0: [2], 1: [1, 3]])
    #expect(dictionary["new", default: 4] == 4)
    dictionary.reserveCapacity(50)
    #expect(dictionary.capacity >= 50)
  }
}
