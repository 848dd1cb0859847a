import Observation
import OpenModels
import Projection
import Testing

/// Subclasses work as with `@Observable`, of recorded classes and of plain ones.
@Suite struct InheritanceTwins {
  @Test(arguments: [false, true])
  func everyClassOfAChainTracksItsOwnProperties(isAttached: Bool) {
    func script(_ model: some ThreeLevels) -> [String] {
      let journal = Journal()
      for name in ["base", "leaf", "plain"] {
        journal.watch(name) { _ = name == "base" ? model.base : name == "leaf" ? model.leaf : model.plain }
      }
      model.plain = 2
      model.base += 1
      model.leaf = 5
      return journal.lines + ["\(model.base) \(model.leaf) \(model.plain)"]
    }
    let twin = LoggedLeaf()
    let session = session(recording: twin, if: isAttached)
    let seen = script(twin)
    #expect(seen == script(PlainLeaf()))
    #expect(seen == ["base changes", "leaf changes", "2 5 2"])
    withExtendedLifetime(session) {}
  }

  @Test func aSubclassOfAPlainClassIsRecordedFromItselfDown() {
    let model = LoggedBelowPlain(start: 4)
    let session = Session()
    session.attach(model, as: "model")
    var seen: [Int] = []
    session.projection("View") { _ in seen.append(model.own + model.deep) }
    model.own = 1
    model.inherited = 9
    model.deep = 2
    #expect(seen == [0, 1, 3])
    #expect(LoggedBelowPlain._$properties.map(\.name) == ["own", "deep"])
  }

  @Test func anOverrideMayObserveARecordedProperty() {
    let model = Overriding()
    let journal = Journal()
    journal.watch("base") { _ = model.base }
    model.base = 4
    #expect(journal.lines == ["base changes"])
    #expect(model.history == [1, 4])
    let session = Session()
    session.attach(model, as: "model")
    var seen: [[Int]] = []
    session.projection("View") { _ in seen.append(model.history) }
    model.base = 5
    #expect(seen.last == [1, 4, 5])
  }

  @Test func anOpenClassIsRecordedFurtherInAnotherModule() {
    let model = Guitar()
    let session = Session()
    session.attach(model, as: "guitar")
    var seen: [String] = []
    session.projection("View") { _ in seen.append("\(model.strings) \(model.tuning) \(model.frets)") }
    model.strings = 7
    model.tuning = "drop D"
    model.frets += 1
    #expect(seen == ["6 EADG 20", "7 EADG 20", "7 drop D 20", "7 drop D 21"])
    #expect(Guitar._$properties.map(\.name) == ["strings", "tuning", "frets"])
  }

  @Test func genericSubclassesOfGenericClassesContinueTheNumbers() {
    let model = GenericLeaf(2)
    let session = Session()
    session.attach(model, as: "model")
    var seen: [String] = []
    session.projection("View") { _ in seen.append("\(model.all) \(model.last)") }
    model.last = 3
    model.all.append(3)
    #expect(seen == ["[2] 2", "[2] 3", "[2, 3] 3"])
    #expect(GenericLeaf<Int>._$propertyCount == 2)
  }
}

private protocol ThreeLevels: AnyObject {
  var base: Int { get set }
  var plain: Int { get set }
  var leaf: Int { get set }
}

@Observable private class PlainRoot { var base = 1 }
private class PlainBetween: PlainRoot { var plain = 1 }
@Observable private final class PlainLeaf: PlainBetween, ThreeLevels { var leaf = 1 }

@Recorded private class LoggedRoot { var base = 1 }
private class LoggedBetween: LoggedRoot { var plain = 1 }
@Recorded private final class LoggedLeaf: LoggedBetween, ThreeLevels { var leaf = 1 }

private class UnrecordedBase {
  var inherited: Int
  required init(start: Int) { inherited = start }
}

@Recorded private class LoggedOverPlain: UnrecordedBase {
  var own: Int
  required init(start: Int) {
    own = 0
    super.init(start: start)
  }
}

@Recorded private final class LoggedBelowPlain: LoggedOverPlain {
  var deep = 0
  required init(start: Int) { super.init(start: start) }
}

@Recorded private final class Guitar: Instrument {
  var frets = 20
  override init() {
    super.init()
    strings = 6
  }
}

@Recorded private class Overridden { var base = 1 }

@Recorded private final class Overriding: Overridden {
  var history: [Int] = []
  override var base: Int {
    didSet { history = (history.isEmpty ? [oldValue] : history) + [base] }
  }
}

@Recorded private class GenericRoot<Element> {
  var all: [Element]
  init(_ all: [Element]) { self.all = all }
}

@Recorded private final class GenericLeaf<Element>: GenericRoot<Element> {
  var last: Element
  init(_ element: Element) {
    last = element
    super.init([element])
  }
}
