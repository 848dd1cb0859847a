import Foundation
import Observation
import Projection
import Testing

/// Everything that may be declared in an `@Observable` class may be declared in a `@Recorded` one. Compiling
/// tests most of that; the rest of the test is that each of these properties is tracked.
@Suite struct DeclarationTwins {
  @Test func everyKindOfPropertyIsTrackedAlike() {
    let other = Shelf()
    func script(_ model: some ManyKinds) -> [String] {
      let journal = Journal()
      let steps: [(String, () -> Void, () -> Void)] = [
        ("optional", { _ = model.optional }, { model.optional = 1 }),
        ("implicit", { _ = model.implicit }, { model.implicit = 4 }),
        ("pair", { _ = model.pair }, { model.pair.0 = 2 }),
        ("labelled", { _ = model.labelled }, { model.labelled = (x: 3, y: "b") }),
        ("action", { _ = model.action }, { model.action = {} }),
        ("anything", { _ = model.anything }, { model.anything = "text" }),
        ("weakly", { _ = model.weakly }, { model.weakly = other }),
        ("unowned", { _ = model.unowning }, { model.unowning = other }),
        ("unsafe", { _ = model.unsafe }, { model.unsafe = 2 }),
        ("result", { _ = model.result }, { model.result = .success(2) }),
        ("inferred", { _ = model.inferred }, { model.inferred["b"] = [2] }),
      ]
      for (name, read, write) in steps {
        journal.watch(name, read)
        write()
        journal.append("\(name) is set")
      }
      return journal.lines + ["\(model.implicit + 1) \(model.pair) \(model.weakly === other)"]
    }
    let seen = script(LoggedKinds())
    #expect(seen == script(PlainKinds()))
    #expect(seen.filter { $0.hasSuffix("changes") }.count == 11)
  }

  @Test func everyAccessLevelIsTrackedAndOnlyTheStoreIsPrivate() {
    let model = Levels()
    let journal = Journal()
    journal.watch("sum") { _ = model.sum }
    model.raise()
    journal.watch("sum") { _ = model.sum }
    model.packaged = 9
    #expect(journal.lines == ["sum changes", "sum changes"])
    #expect(Levels._$properties.map(\.name) == ["hidden", "filed", "inner", "packaged", "open", "readable"])
  }

  @Test func propertiesMayBeNamedLikeWhatTheAccessorsUse() {
    let model = AwkwardNames()
    let journal = Journal()
    journal.watch("newValue") { _ = model.newValue }
    model.newValue = 5
    #expect(journal.lines == ["newValue changes"])
    #expect(model.change == 6 && model.initialValue == 5)
    #expect(AwkwardNames._$propertyCount == 15)
    let session = Session()
    session.attach(model, as: "names")
    var seen: [Int] = []
    session.projection("View") { _ in seen.append(model.default) }
    model.default = 2
    model.class.append(1)
    #expect(seen == [1, 2])
    #expect(session.diagnostics == [])
  }

  @Test func propertiesInConditionsAreThoseOfTheBuild() {
    let model = Conditional()
    let journal = Journal()
    journal.watch("chosen") { _ = model.chosen }
    model.chosen += 1
    #expect(journal.lines == ["chosen changes"])
    let session = Session()
    session.attach(model, as: "model")
    var seen: [Int] = []
    session.projection("View") { _ in seen.append(model.chosen) }
    model.chosen += 1
    #expect(seen == [2, 3])
  }

  @Test func nestedAndGenericClassesAreTracked() {
    let box = Shelf.Box<[Int], String>(content: [1])
    let journal = Journal()
    journal.watch("content") { _ = box.content }
    box.content.append(2)
    journal.watch("byKey") { _ = box.byKey["a"] }
    box.byKey["a"] = [3]
    #expect(journal.lines == ["content changes", "byKey changes"])
    let lid = Shelf.Box<[Int], String>.Lid()
    journal.watch("isOpen") { _ = lid.isOpen }
    lid.isOpen = true
    #expect(journal.lines.last == "isOpen changes")
    let page = Page<Leaflet>()
    journal.watch("items") { _ = page.items }
    page.items.append(Leaflet(id: 1))
    #expect(journal.lines.last == "items changes")
  }

  @Test func availabilityOfAPropertyIsNotThatOfItsStore() {
    let model = Aging()
    let session = Session()
    session.attach(model, as: "model")
    let journal = Journal()
    journal.watch("recent") { _ = model.recent }
    model.recent = 2
    #expect(journal.lines == ["recent changes"])
    #expect(Aging._$properties.map(\.name) == ["old", "recent"])
  }

  @Test func propertiesThatTheStandardLibraryIgnoresAreIgnored() {
    let model = Ignoring()
    let journal = Journal()
    journal.watch("ignored") { _ = (model.ignored, model.late) }
    model.ignored = 2
    model.late = 3
    #expect(journal.lines == [])
    #expect(Ignoring._$propertyCount == 0)
  }
}

private protocol ManyKinds: AnyObject {
  var optional: Int? { get set }
  var implicit: Int! { get set }
  var pair: (Int, String) { get set }
  var labelled: (x: Int, y: String) { get set }
  var action: () -> Void { get set }
  var anything: Any { get set }
  var weakly: Shelf? { get set }
  var unowning: Shelf? { get set }
  var unsafe: Int { get set }
  var result: Result<Int, any Error> { get set }
  var inferred: [String: [Int]] { get set }
}

@Observable private final class PlainKinds: ManyKinds {
  var optional: Int?
  var implicit: Int!
  var pair = (1, "a")
  var labelled: (x: Int, y: String) = (1, "a")
  var action: () -> Void = {}
  var anything: Any = 1
  weak var weakly: Shelf?
  unowned var unowning: Shelf?
  nonisolated var unsafe = 1
  var result: Result<Int, any Error> = .success(1)
  var inferred = ["a": [1]]
  let constant = 1
}

@Recorded private final class LoggedKinds: ManyKinds {
  var optional: Int?
  var implicit: Int!
  var pair = (1, "a")
  var labelled: (x: Int, y: String) = (1, "a")
  var action: () -> Void = {}
  var anything: Any = 1
  weak var weakly: Shelf?
  unowned var unowning: Shelf?
  nonisolated var unsafe = 1
  var result: Result<Int, any Error> = .success(1)
  var inferred = ["a": [1]]
  let constant = 1
}

/// A property of each level.
@Recorded public class Levels {
  private var hidden = 1
  fileprivate var filed = 1
  internal var inner = 1
  package var packaged = 1
  /// Public.
  public var open = 1
  /// Read by all.
  public private(set) final var readable = 1

  var sum: Int { hidden + filed + inner + packaged + open + readable }
  func raise() { hidden += 1 }
}

@Recorded final class AwkwardNames {
  var newValue = 1 {
    didSet {
      change = newValue + 1
      initialValue = newValue
    }
  }
  var oldValue = 1
  var initialValue = 1
  var change = 1
  var previous = 1
  var hold = 1
  var keyPath = 1
  var number = 1
  let property = 1
  let reader = 2
  let writer = 3
  let stored = 4
  var visitor = 1
  var `default` = 1
  var `class` = [0]
}

@Recorded final class Conditional {
  #if os(Linux)
    var chosen = 1
  #elseif canImport(Darwin)
    var chosen = 1
    var more = 2
  #else
    var chosen = 1.0
  #endif
}

private struct Leaflet: Identifiable {
  let id: Int
}

/// Its metatype holds a conformance that may not be sendable.
@Recorded private final class Page<Content: Identifiable> {
  var items: [Content] = []
}

private final class Shelf {
  @Recorded final class Box<Content: Equatable, Key: Hashable & Sendable> where Content: Sendable {
    var content: Content
    var byKey: [Key: Content] = [:]

    init(content: Content) { self.content = content }

    @Recorded final class Lid { var isOpen = false }
  }
}

@Recorded @available(macOS 15, *) final class Aging {
  @available(*, deprecated) var old = 1
  @available(macOS 10.15, *) var recent = 1
}

@Recorded private final class Ignoring {
  @ObservationIgnored var ignored = 1
  @ObservationIgnored lazy var late = 1
}
