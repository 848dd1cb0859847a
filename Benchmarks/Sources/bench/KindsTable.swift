import BenchSupport
import Foundation
import Observation
import Projection

/// Shows what a set of a property costs by the kind of its value: the kinds that public `@Observable` classes have.
///
/// Each value is set afresh, changed in one place, and replaced by an equal one that was made anew. No value is set
/// twice, as in an app, unless it is meant to be equal.
struct KindsTable {
  static let title = "kinds: a set"
  private static let sizes = [3, 300, 16_000]

  private let rounds: Int
  private let contender: String?

  /// - Parameter contender: Measures the kinds whose names contain this; nil for all.
  init(rounds: Int, only contender: String?) { (self.rounds, self.contender) = (rounds, contender) }

  func run() throws {
    print("\n\(Self.title) of a property recorded to a file, and how many times as long as with @Observable")
    line("", ["size"] + Operation.allCases.map(\.rawValue))
    for kind in Kind.all where contender.map(kind.name.contains) ?? true {
      var before: [Operation: (size: Int, time: Double)] = [:]
      for size in kind.hasSizes ? Self.sizes : [1] {
        let columns = try Operation.allCases.map { operation -> String in
          guard let figure = try measure(kind, operation, size) else { return "" }
          let time = figure.time.median
          let grows = before.updateValue((size, time), forKey: operation)
            .map { time / $0.time > 1.5 * Double(size) / Double($0.size) }
          return figure.text + (grows == true ? " GROWS" : "")
        }
        line(kind.name, ["\(size)"] + columns)
      }
    }
  }

  private func line(_ name: String, _ columns: [String]) {
    let size = columns.first.map { $0.padded(to: 6) } ?? ""
    print(
      "  \(name.padded(to: 30)) \(size) \(columns.dropFirst().map { $0.padded(to: 34) }.joined(separator: " "))"
    )
  }

  private struct Figure {
    /// Nanoseconds a set.
    var time: Spread
    var ratio: Spread

    var text: String {
      let unit = time.median < 1e3 ? (1, "ns") : time.median < 1e6 ? (1e3, "us") : (1e6, "ms")
      let scaled = Spread([time.least, time.median, time.greatest].map { $0 / unit.0 })
      return "\(scaled.text(unit: unit.1)) \(ratio.median.short) x"
    }
  }

  /// Nil if the kind does not have the operation.
  private func measure(_ kind: Kind, _ operation: Operation, _ size: Int) throws -> Figure? {
    let clock = ContinuousClock()
    let count = max(3, 2_000 / size)
    var (times, ratios): ([Double], [Double]) = ([], [])
    for round in 0...rounds {
      let recording = try RecordingSession()
      let (recorded, observable) = (RecordedKinds(), ObservableKinds())
      recording.session.attach(recorded, as: "kinds")
      guard let work = kind.work(recorded, operation, size, count),
        let peer = kind.work(observable, operation, size, count)
      else { return nil }
      let (time, other) = (clock.measure(work).nanoseconds, clock.measure(peer).nanoseconds)
      // The first round warms up.
      if round == 0 { continue }
      times.append(time / Double(count))
      ratios.append(time / max(other, 1))
    }
    return Figure(time: Spread(times), ratio: Spread(ratios))
  }
}

private enum Operation: String, CaseIterable {
  case afresh = "set afresh"
  case inOnePlace = "changed in one place"
  case equal = "replaced by an equal one"
}

// MARK: Kinds

/// A kind of value.
private struct Kind {
  let name: String
  let hasSizes: Bool
  /// Returns a closure that does an operation this many times; nil if the kind does not have the operation.
  let work: (_ model: any KindsModel, Operation, _ size: Int, _ count: Int) -> (() -> Void)?

  /// - Parameters:
  ///   - set: Sets the property.
  ///   - change: Accesses the property in place.
  ///   - make: Returns a value of a size. Each number gives another one.
  ///   - edit: Changes a value in one place; nil if it has no parts.
  init<Member>(
    _ name: String, hasSizes: Bool = false,
    _ set: @escaping (any KindsModel, Member) -> Void,
    _ change: @escaping (any KindsModel, (inout Member) -> Void) -> Void,
    _ make: @escaping (_ size: Int, _ number: Int) -> Member,
    edit: ((inout Member, _ number: Int) -> Void)? = nil
  ) {
    (self.name, self.hasSizes) = (name, hasSizes)
    work = { model, operation, size, count in
      set(model, make(size, 0))
      switch operation {
      case .afresh:
        let values = (1...count).map { make(size, $0) }
        return { for value in values { set(model, value) } }
      case .equal:
        let values = (1...count).map { _ in make(size, 0) }
        return { for value in values { set(model, value) } }
      case .inOnePlace:
        return edit.map { edit in { for number in 1...count { change(model) { edit(&$0, number) } } } }
      }
    }
  }
}

extension Kind {
  static var all: [Kind] {
    [
      Kind("Int", { $0.int = $1 }, { $1(&$0.int) }, { $1 }),
      Kind("Double", { $0.double = $1 }, { $1(&$0.double) }, { Double($1) + 0.1 }),
      Kind("Bool", { $0.bool = $1 }, { $1(&$0.bool) }, { $1 % 2 == 0 }),
      Kind("Int?", { $0.intOrNil = $1 }, { $1(&$0.intOrNil) }, { $1 % 5 == 4 ? nil : $1 }),
      Kind("Date", { $0.date = $1 }, { $1(&$0.date) }, { Date(timeIntervalSince1970: Double($1) * 1.1) }),
      Kind(
        "Date?", { $0.dateOrNil = $1 }, { $1(&$0.dateOrNil) },
        { Date(timeIntervalSince1970: Double($1) * 1.1) }),
      Kind("UUID", { $0.uuid = $1 }, { $1(&$0.uuid) }, { UUID(number: $1) }),
      Kind("UUID?", { $0.uuidOrNil = $1 }, { $1(&$0.uuidOrNil) }, { $1 % 5 == 4 ? nil : UUID(number: $1) }),
      Kind("URL", { $0.url = $1 }, { $1(&$0.url) }, { URL(number: $1) }),
      Kind("URL?", { $0.urlOrNil = $1 }, { $1(&$0.urlOrNil) }, { URL(number: $1) }),
      Kind("Decimal", { $0.decimal = $1 }, { $1(&$0.decimal) }, { Decimal($1) / 8 }),
      Kind(
        "ClosedRange", { $0.range = $1 }, { $1(&$0.range) }, { $1...($1 + 10) },
        edit: { $0 = $0.lowerBound...($0.lowerBound + 10 + $1) }),
      Kind("enum", { $0.phase = $1 }, { $1(&$0.phase) }, { Phase(number: $1) }),
      Kind(
        "enum with a payload", { $0.outcome = $1 }, { $1(&$0.outcome) },
        { $1 % 2 == 0 ? .running(progress: Double($1)) : .failed(code: $1) }),
      Kind("struct", { $0.user = $1 }, { $1(&$0.user) }, { User(number: $1) }, edit: { $0.age = -$1 }),
      Kind(
        "struct in a struct", { $0.account = $1 }, { $1(&$0.account) }, { Account(user: User(number: $1)) },
        edit: { $0.user.age = -$1 }),
      Kind(
        "Codable struct", { $0.profile = $1 }, { $1(&$0.profile) }, { Profile(number: $1) },
        edit: { $0.age = -$1 }),
      Kind("tuple", { $0.tuple = $1 }, { $1(&$0.tuple) }, { ($1, "\($1)") }, edit: { $0.0 = -$1 }),
      Kind(
        "child object", { $0.child = $1 }, { $1(&$0.child) }, { Child(number: $1) }, edit: { $0.number = -$1 }
      ),
      Kind(
        "String", hasSizes: true, { $0.text = $1 }, { $1(&$0.text) },
        { "\($1)" + String(repeating: "x", count: $0) },
        edit: { $0.append("\($1)") }),
      Kind(
        "String?", hasSizes: true, { $0.textOrNil = $1 }, { $1(&$0.textOrNil) },
        { "\($1)" + String(repeating: "x", count: $0) },
        edit: { $0?.append("\($1)") }),
      Kind(
        "Data", hasSizes: true, { $0.data = $1 }, { $1(&$0.data) },
        { size, number in Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }) },
        edit: { $0[$1 % $0.count] &+= 1 }),
      Kind(
        "AttributedString", hasSizes: true, { $0.attributed = $1 }, { $1(&$0.attributed) },
        { AttributedString("\($1)" + String(repeating: "x", count: $0)) },
        edit: { $0.append(AttributedString("\($1)")) }),
      .collection("[Int]", { $0.ints = $1 }, { $1(&$0.ints) }, { $0 }),
      .collection("[Float]", { $0.floats = $1 }, { $1(&$0.floats) }, { Float($0) }),
      .collection("[String]", { $0.strings = $1 }, { $1(&$0.strings) }, { "item \($0)" }),
      .collection("array of structs", { $0.users = $1 }, { $1(&$0.users) }, { User(number: $0) }),
      .collection(
        "array of structs with id", { $0.rows = $1 }, { $1(&$0.rows) },
        { Item(id: $0 % 20_000, title: "row \($0)", price: Double($0)) }),
      Kind(
        "rows, a field of each", hasSizes: true, { $0.rows = $1 }, { $1(&$0.rows) },
        { size, number in
          (0..<size).map { Item(id: $0, title: "row \($0)", price: Double($0 + number * size)) }
        }),
      .collection("array of enums", { $0.phases = $1 }, { $1(&$0.phases) }, { Phase(number: $0) }),
      .collection("array of any P", { $0.shapes = $1 }, { $1(&$0.shapes) }, { Square(side: Double($0)) }),
      .collection(
        "array of child objects", { $0.children = $1 }, { $1(&$0.children) }, { Child(number: $0) }),
      .collection("Set of strings", { $0.stringSet = $1 }, { $1(&$0.stringSet) }, { "item \($0)" }),
      .collection("Set of UUIDs", { $0.uuidSet = $1 }, { $1(&$0.uuidSet) }, { UUID(number: $0) }),
      .collection("Set of structs", { $0.userSet = $1 }, { $1(&$0.userSet) }, { User(number: $0) }),
      .dictionary("[String: String]", { $0.names = $1 }, { $1(&$0.names) }, { ("key \($0)", "item \($1)") }),
      .dictionary(
        "[String: enum]", { $0.phasesByName = $1 }, { $1(&$0.phasesByName) },
        { ("key \($0)", Phase(number: $1)) }),
      .dictionary(
        "[UUID: struct]", { $0.usersByID = $1 }, { $1(&$0.usersByID) },
        { (UUID(number: $0), User(number: $1)) }),
      .dictionary(
        "[struct: Int]", { $0.numbersByUser = $1 }, { $1(&$0.numbersByUser) }, { (User(number: $0), $1) }),
      .dictionary(
        "[Date: [String]]", { $0.notesByDay = $1 }, { $1(&$0.notesByDay) },
        { (Date(timeIntervalSince1970: Double($0) * 86_400), ["\($1)"]) }),
      Kind(
        "IndexSet", hasSizes: true, { $0.indexes = $1 }, { $1(&$0.indexes) },
        { size, number in IndexSet((0..<size).map { $0 * 3 + number % 2 + number / 2 * 60_000 }) },
        edit: { if $1 % 2 == 1 { $0.insert($1 * 3 + 1) } else { $0.remove($1 * 3 - 2) } }),
    ]
  }

  /// A collection that takes an element, and with the next change gives it back, so that it keeps its size.
  private static func collection<Member: Collection & AnyCollection>(
    _ name: String, _ set: @escaping (any KindsModel, Member) -> Void,
    _ change: @escaping (any KindsModel, (inout Member) -> Void) -> Void,
    _ element: @escaping (_ number: Int) -> Member.Element
  ) -> Kind {
    Kind(
      name, hasSizes: true, set, change,
      { size, number in Member((0..<size).map { element($0 + number * size) }) },
      edit: { elements, number in
        if number % 2 == 1 {
          elements.put(element(-number))
        } else {
          elements.remove(put: element(1 - number))
        }
      })
  }

  /// A dictionary of which one value is changed.
  private static func dictionary<Key: Hashable, Member>(
    _ name: String, _ set: @escaping (any KindsModel, [Key: Member]) -> Void,
    _ change: @escaping (any KindsModel, (inout [Key: Member]) -> Void) -> Void,
    _ entry: @escaping (_ key: Int, _ number: Int) -> (Key, Member)
  ) -> Kind {
    Kind(
      name, hasSizes: true, set, change,
      { size, number in
        Dictionary(uniqueKeysWithValues: (0..<size).map { entry($0 + number % 7, $0 + number * size) })
      },
      edit: { entries, number in
        let (key, value) = entry(1, -number)
        entries[key] = value
      })
  }
}

/// A collection that a list of elements makes, and that takes one more and gives it back.
private protocol AnyCollection<Element> {
  associatedtype Element
  init(_ elements: [Element])
  mutating func put(_ element: Element)
  mutating func remove(put element: Element)
}

extension Array: AnyCollection {
  fileprivate mutating func put(_ element: Element) { append(element) }
  fileprivate mutating func remove(put element: Element) { removeLast() }
}

extension Set: AnyCollection {
  fileprivate mutating func put(_ element: Element) { insert(element) }
  fileprivate mutating func remove(put element: Element) { remove(element) }
}

extension UUID {
  fileprivate init(number: Int) {
    let hash = UInt64(bitPattern: Int64(number)) &* 0x9E37_79B9_7F4A_7C15
    self = withUnsafeBytes(of: (hash, hash ^ 0xABCD)) { UUID(uuid: $0.load(as: uuid_t.self)) }
  }
}

extension URL {
  fileprivate init(number: Int) {
    self = URL(string: "https://example.org/items/\(number)") ?? URL(filePath: "/")
  }
}

// MARK: Models

private struct User: Hashable {
  var name: String
  var age: Int
  var city = "London"

  init(number: Int) { (name, age) = ("Ada \(number)", number) }
}

private struct Account: Hashable {
  var user: User
  var balance = 0.5
}

private struct Profile: Hashable, Codable {
  var name: String
  var age: Int
  var city = "London"

  init(number: Int) { (name, age) = ("Ada \(number)", number) }
}

private struct Item: Identifiable, Hashable {
  var id: Int
  var title: String
  var price: Double
}

private enum Phase: Hashable {
  case idle, loading, done

  init(number: Int) { self = [.idle, .loading, .done][abs(number) % 3] }
}

private enum Outcome: Hashable {
  case running(progress: Double)
  case failed(code: Int)
}

private protocol Shape {
  var side: Double { get set }
}

private struct Square: Shape { var side: Double }

@Recorded private final class Child {
  var number: Int
  var name = "child"

  init(number: Int) { self.number = number }
}

/// The same properties in both kinds of object. Their types are concrete, because the compiler must find code
/// that is specialised for one type here as it does in an app.
private protocol KindsModel: AnyObject {
  var int: Int { get set }
  var double: Double { get set }
  var bool: Bool { get set }
  var intOrNil: Int? { get set }
  var date: Date { get set }
  var dateOrNil: Date? { get set }
  var uuid: UUID { get set }
  var uuidOrNil: UUID? { get set }
  var url: URL { get set }
  var urlOrNil: URL? { get set }
  var decimal: Decimal { get set }
  var range: ClosedRange<Int> { get set }
  var phase: Phase { get set }
  var outcome: Outcome { get set }
  var user: User { get set }
  var account: Account { get set }
  var profile: Profile { get set }
  var tuple: (Int, String) { get set }
  var child: Child { get set }
  var text: String { get set }
  var textOrNil: String? { get set }
  var data: Data { get set }
  var attributed: AttributedString { get set }
  var ints: [Int] { get set }
  var floats: [Float] { get set }
  var strings: [String] { get set }
  var users: [User] { get set }
  var rows: [Item] { get set }
  var phases: [Phase] { get set }
  var shapes: [any Shape] { get set }
  var children: [Child] { get set }
  var stringSet: Set<String> { get set }
  var uuidSet: Set<UUID> { get set }
  var userSet: Set<User> { get set }
  var names: [String: String] { get set }
  var phasesByName: [String: Phase] { get set }
  var usersByID: [UUID: User] { get set }
  var numbersByUser: [User: Int] { get set }
  var notesByDay: [Date: [String]] { get set }
  var indexes: IndexSet { get set }
}

@Observable private final class ObservableKinds: KindsModel {
  var int: Int = 0
  var double: Double = 0.0
  var bool: Bool = false
  var intOrNil: Int?
  var date: Date = Date(timeIntervalSince1970: 0)
  var dateOrNil: Date?
  var uuid: UUID = UUID(number: 0)
  var uuidOrNil: UUID?
  var url: URL = URL(number: 0)
  var urlOrNil: URL?
  var decimal: Decimal = Decimal(0)
  var range: ClosedRange<Int> = 0...1
  var phase: Phase = Phase.idle
  var outcome: Outcome = Outcome.failed(code: 0)
  var user: User = User(number: 0)
  var account: Account = Account(user: User(number: 0))
  var profile: Profile = Profile(number: 0)
  var tuple: (Int, String) = (0, "")
  var child: Child = Child(number: 0)
  var text: String = ""
  var textOrNil: String?
  var data: Data = Data()
  var attributed: AttributedString = AttributedString()
  var ints: [Int] = []
  var floats: [Float] = []
  var strings: [String] = []
  var users: [User] = []
  var rows: [Item] = []
  var phases: [Phase] = []
  var shapes: [any Shape] = []
  var children: [Child] = []
  var stringSet: Set<String> = []
  var uuidSet: Set<UUID> = []
  var userSet: Set<User> = []
  var names: [String: String] = [:]
  var phasesByName: [String: Phase] = [:]
  var usersByID: [UUID: User] = [:]
  var numbersByUser: [User: Int] = [:]
  var notesByDay: [Date: [String]] = [:]
  var indexes: IndexSet = IndexSet()
}

@Recorded private final class RecordedKinds: KindsModel {
  var int: Int = 0
  var double: Double = 0.0
  var bool: Bool = false
  var intOrNil: Int?
  var date: Date = Date(timeIntervalSince1970: 0)
  var dateOrNil: Date?
  var uuid: UUID = UUID(number: 0)
  var uuidOrNil: UUID?
  var url: URL = URL(number: 0)
  var urlOrNil: URL?
  var decimal: Decimal = Decimal(0)
  var range: ClosedRange<Int> = 0...1
  var phase: Phase = Phase.idle
  var outcome: Outcome = Outcome.failed(code: 0)
  var user: User = User(number: 0)
  var account: Account = Account(user: User(number: 0))
  var profile: Profile = Profile(number: 0)
  var tuple: (Int, String) = (0, "")
  var child: Child = Child(number: 0)
  var text: String = ""
  var textOrNil: String?
  var data: Data = Data()
  var attributed: AttributedString = AttributedString()
  var ints: [Int] = []
  var floats: [Float] = []
  var strings: [String] = []
  var users: [User] = []
  var rows: [Item] = []
  var phases: [Phase] = []
  var shapes: [any Shape] = []
  var children: [Child] = []
  var stringSet: Set<String> = []
  var uuidSet: Set<UUID> = []
  var userSet: Set<User> = []
  var names: [String: String] = [:]
  var phasesByName: [String: Phase] = [:]
  var usersByID: [UUID: User] = [:]
  var numbersByUser: [User: Int] = [:]
  var notesByDay: [Date: [String]] = [:]
  var indexes: IndexSet = IndexSet()
}
