import Projection
import Testing

/// Properties with `@Compared`, which decides whether a set changes them.
@Suite struct ComparisonTests {
  @Test func aPropertyComparedByAKeyChangesWithThatKeyAlone() {
    let (model, seen) = (Outlines(), Journal())
    let session = Session()
    session.attach(model, as: "model")
    session.projection("View") { _ in seen.append("\(model.byKey.id) \(model.byKey.area)") }
    session.onReceive(of: \.byKey, in: model) { seen.append("set \($0.area)") }
    let journal = Journal()
    journal.watch("byKey") { _ = model.byKey }
    model.byKey = Outline(id: 1, area: 5)
    model.byKey.area = 6
    #expect(model.byKey.area == 6)
    #expect(journal.lines == [])
    model.byKey.id = 2
    #expect(journal.lines == ["byKey changes"])
    #expect(seen.lines == ["1 1.0", "set 5.0", "set 6.0", "2 6.0", "set 6.0"])
  }

  @Test func aPropertyComparedByAClosureOrAFunctionAsksIt() {
    let model = Outlines()
    let session = Session()
    session.attach(model, as: "model")
    var runs = 0
    session.projection("View") { _ in
      runs += 1
      _ = (model.byClosure, model.byFunction)
    }
    model.byClosure = Outline(id: 9, area: 1)
    model.byFunction = Outline(id: 9, area: 1.2)
    #expect(runs == 1)
    model.byClosure = Outline(id: 9, area: 2)
    model.byFunction = Outline(id: 9, area: 3)
    #expect(runs == 3)
  }

  @Test func aComparisonIsNoReadOfAProjection() {
    let model = Outlines()
    let session = Session()
    session.attach(model, as: "model")
    var runs = 0
    session.projection("Writer") { _ in
      runs += 1
      model.byKey = Outline(id: 1, area: Double(runs))
    }
    model.byKey = Outline(id: 7, area: 0)
    #expect(runs == 1)
  }

  @Test func observersSeeSetsThatChangeNothing() {
    let model = Outlines()
    model.observed = Outline(id: 1, area: 3)
    #expect(model.count == 1)
  }
}

struct Outline {
  var id = 1
  var area = 1.0

  static func looksLike(_ a: Outline, _ b: Outline) -> Bool { Int(a.area) == Int(b.area) }
}

@Recorded final class Outlines {
  @Compared(by: \Outline.id) var byKey = Outline()
  @Compared(by: { (a: Outline, b: Outline) in a.area == b.area }) var byClosure = Outline()
  @Compared(by: Outline.looksLike) var byFunction = Outline()
  @Compared(by: \Outline.id) var observed = Outline() { didSet { count += 1 } }
  var count = 0
}
