import LogGenerator
import Projection

/// The interface that a recorded array and a plain one share, so that one program runs on either.
protocol ArrayLike: RandomAccessCollection, MutableCollection, RangeReplaceableCollection
where Index == Int {
  mutating func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows
  mutating func reverse()
  mutating func shuffle(using generator: inout some RandomNumberGenerator)
  @discardableResult
  mutating func moveSubranges(_ subranges: RangeSet<Int>, to destination: Int) -> Range<Int>
  mutating func removeSubranges(_ subranges: RangeSet<Int>)
  mutating func popLast() -> Element?
}

extension Array: ArrayLike {}
extension RecordedArray: ArrayLike {}

/// One step of a random program. Its numbers are clamped to the array, so that a program stays valid when steps are
/// removed.
struct Operation: CustomStringConvertible {
  var property: Int
  var kind: Int
  var a: Int
  var b: Int

  init(_ random: inout some RandomNumberGenerator) {
    property = Int.random(in: 0..<7, using: &random)
    kind = Int.random(in: 0..<33, using: &random)
    a = Int.random(in: 0..<1_000, using: &random)
    b = Int.random(in: 0..<1_000, using: &random)
  }

  var description: String { "(property: \(property), kind: \(kind), a: \(a), b: \(b))" }
}

/// How elements of a type are created, compared and changed by a number.
struct Elements<Element> {
  var make: (Int) -> Element
  var rank: (Element) -> Int
  var change: (inout Element, Int) -> Void
}

extension ArrayLike {
  /// Applies an operation to an array.
  mutating func apply(_ operation: Operation, _ elements: Elements<Element>) {
    let (a, b) = (operation.a, operation.b)
    let count = count
    let slot = a % (count + 1)
    let range = Swift.min(slot, b % (count + 1))..<Swift.max(slot, b % (count + 1))
    let (x, y) = count == 0 ? (0, 0) : (a % count, b % count)
    let new = [elements.make(b), elements.make(a + b), elements.make(a)]
    switch operation.kind {
    case 0, 1: append(new[0])
    case 2: append(contentsOf: new.prefix(b % 4))
    case 3, 4: insert(new[0], at: slot)
    case 5: insert(contentsOf: new.prefix(b % 4), at: slot)
    case 6: if count > 0 { remove(at: x) }
    case 7: if count > 0 { _ = a % 2 == 0 ? removeFirst() : removeLast() }
    case 8: _ = popLast()
    case 9: removeSubrange(range)
    case 10: replaceSubrange(range, with: new.prefix(a % 4))
    case 11: if a % 9 == 0 { removeAll() }
    case 12, 13: if count > 0 { self[x] = new[0] }
    case 14: if count > 0 { swapAt(x, y) }
    case 15: sort { elements.rank($0) < elements.rank($1) }
    case 16: reverse()
    case 17:
      var generator = SplitMix64(seed: UInt64(b))
      shuffle(using: &generator)
    case 18: _ = partition { elements.rank($0) % 3 == a % 3 }
    case 19: moveSubranges(RangeSet(range), to: b % (count + 1))
    case 20: removeSubranges(RangeSet(range))
    case 21: removeAll { elements.rank($0) % 4 == a % 4 }
    case 22: self[range].reverse()
    case 23: if range.count <= new.count { self[range] = Self(new.prefix(range.count))[...] }
    case 24, 25, 26: if count > 0 { elements.change(&self[x], b) }
    case 27: while self.count > 6 { removeLast() }
    case 28: if count > 0 { self[x] = self[y] }
    case 30: append(contentsOf: (0..<24).map { elements.make(a + $0) })
    case 31:
      // All are fetched again, and most have changed.
      self = Self(
        enumerated().map { index, element in
          var element = element
          if a % 2 == 0 || index % (b % 4 + 2) > 0 { elements.change(&element, b + index) }
          return element
        })
    case 32: self = Self(dropFirst(a % 12) + (0..<b % 12).map { elements.make(b + $0) })
    default: self = Self(new.prefix(b % 4))
    }
  }
}
