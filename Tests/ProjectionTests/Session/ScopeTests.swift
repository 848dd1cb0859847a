import Projection
import Testing

@Suite struct ScopeTests {
  let session = Session()
  let model = Model()

  init() { session.attach(model, as: "app") }

  @Test func aChildWithoutInputFollowsItsParent() {
    session.projection("Parent") { scope in
      _ = model.isLoading
      scope.child("Child") { _ in model.text }
    }
    let report = session.measure { model.isLoading = true }
    #expect(report.evaluationsByInstance == ["Parent": 1, "Child": 1])
  }

  @Test func aChildIsSkippedWhileItsInputIsEqual() {
    session.projection("Parent") { scope in
      scope.child("Child", input: model.isLoading) { _ in model.text }
      _ = model.selected
    }
    #expect(session.measure { model.selected = Player() }.evaluationsByInstance == ["Parent": 1])
    #expect(session.measure { model.isLoading = true }.evaluations("Child") == 1)
  }

  @Test func anInputThatIsNotEquatableIsComparedAsTheLogCompares() {
    struct Style {
      var weight: Int
      var colors: [String]
      var player: Player?
    }
    let player = Player()
    session.projection("Parent") { scope in
      let text = model.text
      scope.child("Same", input: Style(weight: 1, colors: ["red"], player: player)) { _ in 0 }
      scope.child("Tuple", input: (1, "a", Style?.none)) { _ in 0 }
      scope.child("Other", input: Style(weight: 1, colors: [text], player: player)) { _ in 0 }
      scope.child("Object", input: Style(weight: 1, colors: [], player: Player())) { _ in 0 }
    }
    let report = session.measure { model.text = "x" }
    #expect(report.evaluationsByInstance == ["Parent": 1, "Other": 1, "Object": 1])
    #expect(session.diagnostics.isEmpty)
  }

  @Test func anInputIsComparedAsItWasWhenItWasHandedIn() {
    final class Counts: Encodable { var count = 0 }
    struct Style: Encodable { let counts: Counts }
    let counts = Counts()
    session.projection("Parent") { scope in
      _ = model.text
      scope.child("Child", input: Style(counts: counts)) { _ in counts.count }
    }
    #expect(session.measure { model.text = "x" }.evaluations("Child") == 0)
    counts.count = 1
    #expect(session.measure { model.text = "y" }.evaluations("Child") == 1)
  }

  @Test func anInputIsComparedByWhatItsEncodingLeavesOutToo() {
    struct Style: Encodable {
      var id = 1
      var isSelected = false
      var shape = Shape.circle(1)
      enum CodingKeys: CodingKey { case id }
    }
    enum Shape {
      case none
      case point
      case circle(Double)
    }
    var style = Style()
    session.projection("Parent") { scope in
      _ = model.text
      scope.child("Child", input: style) { _ in 0 }
    }
    func evaluations(_ change: () -> Void) -> Int {
      change()
      return session.measure { model.text += "x" }.evaluations("Child")
    }
    #expect(evaluations {} == 0)
    #expect(evaluations { style.isSelected = true } == 1)
    #expect(evaluations { style.shape = .circle(2) } == 1)
    #expect(evaluations { style.shape = .circle(2) } == 0)
    #expect(evaluations { style.shape = .point } == 1)
    #expect(evaluations { style.shape = .none } == 1)
    #expect(evaluations {} == 0)
    #expect(session.diagnostics.isEmpty)
  }

  @Test func anInputThatCannotBeComparedIsReportedOnce() {
    struct Style {
      let draw: () -> Void
    }
    session.projection("Parent") { scope in
      _ = model.text
      for row in 0..<3 { scope.child("Row", id: row, input: Style {}) { _ in 0 } }
    }
    #expect(session.measure { model.text = "x" }.evaluations("Row") == 3)
    #expect(session.diagnostics.count == 1)
    #expect(
      session.diagnostics.first?.message.hasPrefix(
        "Row's input of type Style cannot be compared, so Row runs each time that its parent does; ") == true)
  }

  @Test func aChildRunsAloneWhenOnlyItReadWhatChanged() {
    session.projection("Parent") { scope in
      scope.child("Child") { _ in model.text }
    }
    #expect(session.measure { model.text = "x" }.evaluationsByInstance == ["Child": 1])
  }

  @Test func aParentAndItsChildRunOnceEach() {
    session.projection("Parent") { scope in
      _ = model.isLoading
      scope.child("Child", input: 1) { _ in model.isLoading }
    }
    #expect(session.measure { model.isLoading = true }.evaluationsByInstance == ["Parent": 1, "Child": 1])
  }

  @Test func aChildThatIsNotMadeAgainNeverRunsAgain() {
    session.projection("Parent") { scope in
      if !model.isLoading { scope.child("Child") { _ in model.text } }
    }
    model.isLoading = true
    #expect(session.measure { model.text = "x" }.totalEvaluations == 0)
  }

  @Test func theFirstAppearanceCountsOncePerIdentity() {
    var appeared: [Int] = []
    session.projection("List") { scope in
      for row in model.rows {
        scope.child("Row", id: row.id) { scope in scope.onFirstAppear { appeared.append(row.id) } }
      }
    }
    model.rows = [Item(id: 1), Item(id: 2)]
    model.rows = [Item(id: 2)]
    model.rows = [Item(id: 1), Item(id: 2), Item(id: 3)]
    #expect(appeared == [1, 2, 3])
  }

  @Test func whatAppearsIsAChildAndNotTheNumberOfANode() {
    var appeared: [Int] = []
    session.projection("List") { scope in
      for row in model.rows {
        scope.child("Row", id: row.id) { scope in scope.onFirstAppear { appeared.append(row.id) } }
      }
    }
    model.rows = [Item(id: 1), Item(id: 2)]
    model.rows = [Item(id: 2)]
    model.rows = [Item(id: 2), Item(id: 3)]
    model.rows = [Item(id: 1), Item(id: 2), Item(id: 3)]
    #expect(appeared == [1, 2, 3], "the third takes the place of the first in the session, and is another")
  }

  @Test func theFirstAppearanceIsNotedBeforeItsActionRuns() {
    var appeared = 0
    session.projection("View") { scope in
      _ = model.text
      scope.onFirstAppear {
        appeared += 1
        model.text = "again \(appeared)"
      }
    }
    #expect(appeared == 1 && model.text == "again 1")
  }

  @Test func theSameNameAndIDBelowAnotherParentAppearsForItself() {
    var appeared: [String] = []
    for parent in ["A", "B"] {
      session.projection(parent) { scope in
        _ = model.isLoading
        scope.child("Row", id: 1) { scope in scope.onFirstAppear { appeared.append(parent) } }
      }
    }
    model.isLoading = true
    #expect(appeared == ["A", "B"])
  }

  @Test func writesOfTheFirstAppearanceInvalidateOthers() {
    session.projection("View") { scope in
      _ = model.text
      scope.onFirstAppear { model.text = "loaded" }
    }
    var seen: [String] = []
    session.projection("Other") { _ in seen.append(model.text) }
    #expect(seen == ["loaded"])
  }

  @Test func aCancelledProjectionNeverRunsAgain() {
    var runs = 0
    let subscription = session.projection("View") { _ in
      _ = model.text
      runs += 1
    }
    model.text = "1"
    subscription.cancel()
    model.text = "2"
    #expect(runs == 2)
  }

  @Test func manualDeliveryWaitsForTheFlush() {
    let session = Session(delivery: .manual)
    let model = Model()
    session.attach(model, as: "app")
    var seen: [String] = []
    session.projection("View") { _ in seen.append(model.text) }
    session.flush()
    model.text = "1"
    model.text = "2"
    #expect(seen.count == 1)
    session.flush()
    #expect(seen.last == "2")
    #expect(seen.count == 2)
    model.text = "3"
    model.text = "2"
    session.flush()
    #expect(seen.count == 2)
  }
}
