import EventLog
import Foundation
import LogGenerator
import Observation
import Testing

@testable import Projection

/// For a collection without a journal only the elements that differ are encoded, with the same result as if
/// all were.
@Suite struct PlainCollectionTests {
  // MARK: What is encoded

  @Test func aChangeOfOneElementEncodesOneElement() {
    #expect(encodings { $0[700].count += 1 } == 1)
    #expect(encodings { $0.append($0[0].other(-1)) } == 1)
    #expect(encodings { $0.insert($0[0].other(-1), at: 0) } == 1)
    #expect(encodings { $0 = $0.map { $0.number == 500 ? $0.other(9) : $0 } } == 1)
    #expect(
      encodings {
        $0[3].count += 1
        $0[990].count += 1
      } == 2)
  }

  @Test func elementsThatMoveOrGoAreNotEncodedAgain() {
    #expect(encodings { $0.removeLast() } == 0)
    #expect(encodings { $0.removeAll { $0.number % 7 == 3 } } == 0)
    #expect(encodings { $0.swapAt(1, 900) } == 0)
    #expect(encodings { $0.reverse() } == 0)
    #expect(encodings { $0.sort { $0.number > $1.number } } == 0)
    #expect(encodings { $0 = $0 } == 0)
  }

  @Test func aDictionaryEncodesTheEntriesThatDiffer() {
    #expect(entryEncodings(by: { $0[400]?.count += 1 }) == 1)
    #expect(entryEncodings(by: { $0[-1] = $0[0]?.other(-1) }) == 1)
    #expect(entryEncodings(by: { $0[400] = nil }) == 0)
    #expect(entryEncodings(by: { $0 = $0.filter { $0.key % 3 != 0 } }) == 0)
  }

  /// The number of elements that a change of an array of a thousand encodes.
  private func encodings(by change: (inout [Counted]) -> Void) -> Int {
    let box = CountedBox()
    let session = Session()
    session.attach(box, as: "box")
    let before = box.counter.count
    change(&box.rows)
    let count = box.counter.count - before
    #expect(
      session.engine.held("box.rows") == .array(box.rows.map { .int(Int64($0.count * 10_000 + $0.number)) }))
    return count
  }

  private func entryEncodings(by change: (inout [Int: Counted]) -> Void) -> Int {
    let box = CountedBox()
    let session = Session()
    session.attach(box, as: "box")
    let before = box.counter.count
    change(&box.entries)
    return box.counter.count - before
  }

  // MARK: What is recorded

  @Test(arguments: 0..<15) func anyChangesAreRecordedAsIfAllWereEncoded(number: UInt64) {
    let seed = testSeed()
    var random = SplitMix64(seed: seed &+ number)
    let (quick, plain) = (PlainBox(), PlainBox())
    let (session, other) = (Session(), Session())
    session.attach(quick, as: "box")
    other.attach(plain, as: "box")
    // A box that is marked as behind the log encodes all of the collection.
    plain._$recorded.attachment?.isBehind = true
    for step in 0..<60 {
      let change = PlainChange.any(&random)
      change.apply(to: quick)
      change.apply(to: plain)
      for property in PlainBox.properties {
        let held = session.engine.held("box.\(property)")
        #expect(
          held == session.engine.fresh(property, of: quick),
          "seed \(seed) + \(number), step \(step): \(change)")
        #expect(
          held == other.engine.held("box.\(property)"), "seed \(seed) + \(number), step \(step): \(change)")
      }
    }
    #expect(!session.diagnostics.contains { $0.message.hasPrefix("not recorded") })
  }

  @Test func anArrayThatIsReplacedIsOneEventOfWhatChanged() throws {
    let series = (0..<2_000).map { Float($0) * 0.1 }
    #expect(try bodies { $0.series = series.map { $0 + 1 } } == ["row.series 0 -2000 +2000"])
    #expect(
      try bodies { $0.series = Array(series[60...]) + series[..<60].map { $0 - 9 } } == [
        "row.series 0 -60 +0", "row.series 1940 -0 +60",
      ])
    #expect(
      try bodies { $0.series = series[..<5].map { $0 - 9 } + Array(series[..<1995]) } == [
        "row.series 1995 -5 +0", "row.series 0 -0 +5",
      ])
    #expect(try bodies { $0.series[7] = 0 } == ["row.series[7]"])
    #expect(
      try bodies { box in
        box.series = series.enumerated().map { (100..<200).contains($0) && $0 % 3 == 0 ? -1 : $1 }
      }
        == ["row.series 102 -97 +97"])
    #expect(
      try bodies { box in box.rows = box.rows.map { Person(id: $0.id, name: $0.name + "!") } } == [
        "row.rows 0 -300 +300"
      ])
    #expect(
      try bodies { box in box.rows = box.rows.map { $0.id % 100 == 7 ? Person(id: $0.id, name: "new") : $0 } }
        == ["row.rows[id: 7].name", "row.rows[id: 107].name", "row.rows[id: 207].name"])
    #expect(
      try bodies { box in
        box.rows = box.rows.map { Person(id: $0.id, name: $0.name + "!") } + [Person(id: -1)]
      }
        == ["row.rows 0 -300 +301"])
  }

  /// The events of a change, by what they change.
  private func bodies(of change: (SeriesBox) -> Void) throws -> [String] {
    let box = SeriesBox()
    let events = try events(of: box) { session in
      change(box)
      for property in ["series", "rows"] {
        #expect(session.engine.held("row.\(property)") == session.engine.fresh(property, of: box))
      }
    }
    return events.compactMap { event in
      switch event.body {
      case .set(let path, _, _): "\(path)"
      case .splice(let path, let offset, let delete, .array(let inserted), _):
        "\(path) \(offset) -\(delete) +\(inserted.count)"
      default: nil
      }
    }
  }

  @Test(arguments: [1, 40]) func aNewObjectAtTwoPlacesIsDefinedBeforeItIsReferredTo(count: Int) {
    let old = (0..<count).map { PlainLeaf(id: $0) }
    let new = PlainLeaf(id: -1)
    for leaves in [
      [new] + old + [new], [new] + old.dropLast() + [new], old.dropFirst() + [new, new], [new, new],
    ] {
      let box = PlainBox()
      box.leaves = old
      let session = Session()
      session.attach(box, as: "box")
      box.leaves = Array(leaves)
      box.tagged = Set((0..<5).map { Tagged(name: "\($0)", leaf: PlainLeaf(id: -2 - $0 / 3)) })
      let leaf = PlainLeaf(id: -9)
      box.tagged.formUnion((5..<30).map { Tagged(name: "\($0)", leaf: leaf) })
      #expect(!session.diagnostics.contains { $0.message.hasPrefix("not recorded") })
      for property in ["leaves", "tagged"] {
        #expect(session.engine.held("box.\(property)") == session.engine.fresh(property, of: box))
      }
    }
  }

  @Test func existentialValuesThatStayAreNotEncodedAgain() {
    let box = CountedBox()
    let session = Session()
    session.attach(box, as: "box")
    box.mixed = (0..<100).map { box.mixedElement($0) }
    let before = box.counter.count
    box.mixed.append(Counted(counter: box.counter, number: -1))
    #if !canImport(Darwin)
      #expect(box.counter.count == before + 1)
    #endif
    #expect(session.engine.held("box.mixed") == session.engine.fresh("mixed", of: box))
  }

  @Test func aGapBetweenPropertiesIsNoDifference() {
    // The gaps keep the bytes that the memory had before.
    let bytes = StoredBytes.of(Gap.self)
    withUnsafeTemporaryAllocation(of: Gap.self, capacity: 2) { memory in
      let raw = UnsafeMutableRawPointer(memory.baseAddress!)
      raw.initializeMemory(as: UInt8.self, repeating: 0xAA, count: MemoryLayout<Gap>.stride)
      (raw + MemoryLayout<Gap>.stride).initializeMemory(
        as: UInt8.self, repeating: 0x55, count: MemoryLayout<Gap>.stride)
      for index in 0..<2 {
        memory[index].flag = true
        memory[index].number = 7
        memory[index].last = 3
      }
      let (a, b) = (UnsafeRawPointer(raw), UnsafeRawPointer(raw + MemoryLayout<Gap>.stride))
      #if !canImport(Darwin)
        #expect(bytes.agree(a, b))
        #expect(bytes.hash(a) == bytes.hash(b))
        #expect(bytes.firstDifference(a, b, in: 0..<1) == 1)
      #endif
      memory[1].last = 4
      #expect(!bytes.agree(a, b))
      #expect(bytes.firstDifference(a, b, in: 0..<1) == 0)
    }
  }

  @Test func writesWhileAChangeIsAnnouncedAreNotLost() {
    let box = MeddledBox()
    let session = Session()
    session.attach(box, as: "box")
    nonisolated(unsafe) let meddled = box
    nonisolated(unsafe) var isNotified = false
    withObservationTracking {
      _ = box.rows
    } onChange: {
      if isNotified { return }
      isNotified = true
      meddled.rows[0] = 100
    }
    box.rows[1] = 20
    #expect(box.rows == [100, 20, 3])
    #expect(session.engine.held("box.rows") == [100, 20, 3])
  }
}

/// A row that counts how often it is encoded.
private struct Counted: RecordableValue {
  final class Counter { var count = 0 }
  let counter: Counter
  var number: Int
  var count = 0

  func other(_ number: Int) -> Counted { Counted(counter: counter, number: number) }

  func recordedValue(in context: inout EncodingContext) -> Value {
    counter.count += 1
    return .int(Int64(count * 10_000 + number))
  }
}

/// A row that is larger than an existential container.
private struct BoxedCounted: RecordableValue {
  var counted: Counted
  var more = (1, 2, 3)

  func recordedValue(in context: inout EncodingContext) -> Value { counted.recordedValue(in: &context) }
}

@Recorded private final class CountedBox {
  @RecordedIgnored let counter: Counted.Counter
  var rows: [Counted]
  var entries: [Int: Counted]
  var mixed: [any RecordableValue] = []

  /// One that fits into an existential container, or needs a box.
  func mixedElement(_ number: Int) -> any RecordableValue {
    let counted = Counted(counter: counter, number: number)
    switch number % 3 {
    case 0: return number
    case 1: return counted
    default: return BoxedCounted(counted: counted)
    }
  }

  init() {
    let counter = Counted.Counter()
    self.counter = counter
    rows = (0..<1000).map { Counted(counter: counter, number: $0) }
    entries = Dictionary(uniqueKeysWithValues: (0..<1000).map { ($0, Counted(counter: counter, number: $0)) })
  }
}

@Recorded private final class SeriesBox {
  var series = (0..<2_000).map { Float($0) * 0.1 }
  var rows = (0..<300).map { Person(id: $0, name: "person \($0)") }
}

private struct Gap: Hashable {
  var flag = false
  var number = 0
  var last: UInt8 = 0
}

private struct Person: Identifiable, Equatable {
  var id: Int
  var name = ""
  var isHere = false
  var tags: [String] = []
}

private struct Coded: Codable, Equatable {
  var key: String
  var amount: Double?
}

@Recorded private final class PlainLeaf: Identifiable {
  let id: Int
  var count = 0
  init(id: Int) { self.id = id }
}

private struct Tagged: Hashable {
  var name: String
  var leaf: PlainLeaf

  static func == (a: Self, b: Self) -> Bool { a.name == b.name && a.leaf === b.leaf }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

private protocol Sized { var size: Int { get set } }
private struct Small: Sized { var size: Int }
private struct Labelled: Sized {
  var size: Int
  var name: String
}
private struct Large: Sized {
  var size: Int
  var names = ["one", "two"]
  var more = (1.0, 2.0)
}

/// A property of each kind of collection.
@Recorded private final class PlainBox {
  var numbers: [Int] = [1, 2, 3]
  var words: [String] = []
  var gaps: [Gap] = [Gap(), Gap()]
  var people: [Person] = (0..<6).map { Person(id: $0, name: "person number \($0)") }
  var coded: [Coded] = []
  var nested: [[Int]] = [[1], [2, 3], []]
  var maybe: [Person]?
  var leaves: [PlainLeaf] = (0..<4).map { PlainLeaf(id: $0) }
  var byNumber: [Int: Person] = [:]
  var byWord: [String: Gap] = ["a": Gap()]
  var words2: Set<String> = []
  var points: Set<Int> = [5]
  var tagged: Set<Tagged> = []
  var sized: [any Sized] = []
  var byPoint: [Gap: Int] = [:]
  var kept: RecordedArray<Person> = []
  var keptByWord: RecordedDictionary<String, PlainLeaf> = [:]

  static let properties = [
    "numbers", "words", "gaps", "people", "coded", "nested", "maybe", "leaves", "byNumber", "byWord",
    "words2",
    "points", "sized", "byPoint", "kept", "keptByWord",
  ]
}

/// A change that can be applied to two boxes alike.
private enum PlainChange: Sendable {
  case array(Property, Step, a: Int, b: Int)
  case dictionary(isByWord: Bool, key: Int, Step, value: Int)
  case set(isOfWords: Bool, Step, a: Int, b: Int)
  case recorded(isArray: Bool, Step, a: Int, b: Int)

  enum Property: CaseIterable { case numbers, words, gaps, people, coded, nested, maybe, leaves, sized }
  enum Step: CaseIterable {
    case edit, edits, append, insert, remove, removeSome, swap, reverse, sort, equal, rebuild, clear
    // Of many elements.
    case grow, editMany, editAll, window, rotate
  }

  static func any(_ random: inout SplitMix64) -> PlainChange {
    let step = Step.allCases.randomElement(using: &random) ?? .edit
    let (a, b) = (Int.random(in: 0..<40, using: &random), Int.random(in: 0..<40, using: &random))
    return switch Int.random(in: 0..<12, using: &random) {
    case 0, 1: .dictionary(isByWord: a % 2 == 0, key: a / 2 % 8, step, value: b)
    case 2: .set(isOfWords: a % 2 == 0, step, a: a / 2, b: b)
    case 3: .recorded(isArray: a % 2 == 0, step, a: a / 2, b: b)
    default: .array(Property.allCases.randomElement(using: &random) ?? .numbers, step, a: a, b: b)
    }
  }

  func apply(to box: PlainBox) {
    switch self {
    case .array(.numbers, let step, let a, let b):
      step.apply(to: &box.numbers, a, b) {
        $0
      } edit: {
        $0 += b
      } by: {
        $0
      }
    case .array(.words, let step, let a, let b):
      step.apply(to: &box.words, a, b) {
        "a word of more than fifteen bytes, \($0)"
      } edit: {
        $0 += "\(b)"
      } by: {
        $0.count
      }
    case .array(.gaps, let step, let a, let b):
      step.apply(to: &box.gaps, a, b) {
        Gap(flag: $0 % 2 == 0, number: $0)
      } edit: {
        $0.number += b
      } by: {
        $0.number
      }
    case .array(.people, let step, let a, let b):
      step.apply(to: &box.people, a, b, make: person) {
        $0.isHere.toggle()
      } by: {
        -$0.id
      }
    case .array(.coded, let step, let a, let b):
      step.apply(to: &box.coded, a, b) {
        Coded(key: "\($0)", amount: $0 % 3 == 0 ? nil : Double($0))
      } edit: {
        $0.amount = Double(b)
      } by: {
        $0.key.count
      }
    case .array(.nested, let step, let a, let b):
      step.apply(to: &box.nested, a, b) {
        Array(0..<$0 % 4)
      } edit: {
        $0.append(b)
      } by: {
        $0.count
      }
    case .array(.maybe, let step, let a, let b):
      if a % 11 == 0 { return box.maybe = b % 2 == 0 ? nil : [] }
      guard box.maybe != nil else { return }
      step.apply(to: &box.maybe!, a, b, make: person) {
        $0.name += "!"
      } by: {
        $0.id
      }
    case .array(.leaves, let step, let a, let b):
      step.apply(to: &box.leaves, a, b) {
        PlainLeaf(id: $0)
      } edit: {
        $0 = PlainLeaf(id: b)
      } by: {
        $0.id
      }
    case .array(.sized, let step, let a, let b):
      step.apply(to: &box.sized, a, b) {
        sized($0)
      } edit: {
        $0.size += b
      } by: {
        $0.size
      }
    case .dictionary(false, let key, let step, let value) where key % 2 == 0:
      step.apply(to: &box.byPoint, Gap(flag: value % 2 == 0, number: key), value) { $0 += 1 }
    case .dictionary(true, let key, let step, let value):
      step.apply(to: &box.byWord, "the key of an entry, \(key)", Gap(number: value)) { $0.number += 1 }
    case .dictionary(false, let key, let step, let value):
      step.apply(to: &box.byNumber, key, person(value)) { $0.name += "." }
    case .set(true, let step, let a, let b): step.apply(to: &box.words2, "a word as an element, \(a)", "\(b)")
    case .set(false, let step, let a, let b): step.apply(to: &box.points, a, b)
    case .recorded(true, let step, let a, let b):
      var all = Array(box.kept)
      step.apply(to: &all, a, b, make: person) {
        $0.tags.append("t")
      } by: {
        $0.name.count
      }
      box.kept = RecordedArray(all)
    case .recorded(false, let step, let a, let b):
      var all = box.keptByWord.entries
      step.apply(to: &all, "\(a % 7)", PlainLeaf(id: b)) { $0.count += 1 }
      box.keptByWord = RecordedDictionary(all)
    }
  }

  private func sized(_ number: Int) -> any Sized {
    switch number % 3 {
    case 0: Small(size: number)
    case 1: Labelled(size: number, name: "\(number)")
    default: Large(size: number)
    }
  }

  private func person(_ number: Int) -> Person {
    Person(id: number % 50, name: "person number \(number % 12)", tags: ["one", "two"])
  }
}

extension PlainChange.Step {
  /// A step that does not fit the array does nothing.
  fileprivate func apply<Element>(
    to array: inout [Element], _ a: Int, _ b: Int, make: (Int) -> Element, edit: (inout Element) -> Void,
    by size: (Element) -> Int
  ) {
    let count = array.count
    switch self {
    case .append: array.append(make(a))
    case .insert: array.insert(make(a), at: b % (count + 1))
    case .rebuild: array = array.indices.map { make($0 + a % 3) }
    case .equal: array = Array(array.map { $0 })
    case .clear where a % 5 == 0: array = []
    case .reverse: array.reverse()
    case .sort: array.sort { size($0) < size($1) }
    case .removeSome:
      var offset = -1
      array.removeAll { _ in
        offset += 1
        return offset % (a % 5 + 2) == 1
      }
    case .grow where count < 100: array.append(contentsOf: (0..<30).map { make(a + $0) })
    case .editMany: for index in array.indices where index % (a % 5 + 2) != 1 { edit(&array[index]) }
    case .editAll: for index in array.indices { edit(&array[index]) }
    case .window: array = array.dropFirst(a % 20) + (0..<b % 20).map { make(b + $0) }
    case .rotate: array = Array(array.dropFirst(a % 20) + array.prefix(a % 20))
    case .edit where count > 0: edit(&array[a % count])
    case .edits where count > 0:
      edit(&array[a % count])
      edit(&array[b % count])
    case .remove where count > 0: array.remove(at: a % count)
    case .swap where count > 0: array.swapAt(a % count, b % count)
    default: break
    }
  }

  fileprivate func apply<Key, Value>(
    to entries: inout [Key: Value], _ key: Key, _ value: Value, edit: (inout Value) -> Void
  ) {
    switch self {
    case .append, .insert, .swap, .sort, .grow: entries[key] = value
    case .remove, .removeSome, .window, .rotate: entries[key] = nil
    case .rebuild: entries = [key: value]
    case .equal, .reverse: entries = Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) })
    case .clear: entries = entries.filter { $0.key != key }
    case .edit, .edits, .editMany, .editAll: if entries[key] != nil { edit(&entries[key]!) }
    }
  }

  fileprivate func apply<Element>(to set: inout Set<Element>, _ a: Element, _ b: Element) {
    switch self {
    case .append, .insert, .edit, .edits, .grow: set.insert(a)
    case .remove, .removeSome, .clear, .editMany, .editAll, .window, .rotate: set.remove(a)
    case .swap, .rebuild: set.formSymmetricDifference([a, b])
    case .equal, .reverse, .sort: set = Set(set.map { $0 })
    }
  }
}

@Recorded private final class MeddledBox { var rows = [1, 2, 3] }

extension Engine {
  /// The value that the session has recorded at a path.
  fileprivate func held(_ path: String) -> Value? {
    (try? Path(parsing: path)).flatMap { coreState.value(at: $0) }
  }

  /// The encoded present value of a property.
  fileprivate func fresh(_ property: String, of object: any RecordedObject) -> Value? {
    withLock { _ in
      var context = EncodingContext(objects: self)
      return Frame.untracked { context.fields(of: object)[property] }
    }
  }
}
