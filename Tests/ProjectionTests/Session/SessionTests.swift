import EventLog
import Projection
import Testing

struct Item: Identifiable, Equatable {
  var id: Int
  var title = ""
  var count = 0
}

@Recorded final class Player {
  var level = 0.0
  var title = "a"
}

@Recorded final class Model {
  var rows: RecordedArray<Item> = []
  var players: RecordedDictionary<String, Player> = [:]
  var isLoading = false
  var text = "hello world, this is a text"
  var selected: Player?
}

@Suite struct SessionTests {
  let session = Session()
  let model = Model()

  init() { session.attach(model, as: "app") }

  @Test func aProjectionRunsAgainWhenWhatItReadChanges() {
    var seen: [Bool] = []
    session.projection("P") { _ in seen.append(model.isLoading) }
    model.isLoading = true
    model.isLoading = true
    model.text = "other"
    #expect(seen == [false, true])
  }

  @Test func onlyTheReaderOfAnElementIsInvalidated() {
    model.rows = RecordedArray((0..<10).map { Item(id: $0) })
    session.projection("List") { scope in
      for index in model.rows.indices {
        scope.child("Row", id: index) { _ in model.rows[index].count }
      }
    }
    let report = session.measure { model.rows[3].count += 1 }
    #expect(report.evaluationsByInstance == ["Row#3": 1])
    #expect(session.measure { model.rows[id: 7]?.count += 1 }.evaluationsByInstance == ["Row#7": 1])
    #expect(session.measure { model.rows[id: 5].count += 1 }.evaluationsByInstance == ["Row#5": 1])
    #expect(session.measure { model.rows[3].count += 0 }.totalEvaluations == 0)
    #expect(session.diagnostics.isEmpty)
  }

  @Test func objectsInADictionaryAreFollowedByProperty() {
    model.players["a"] = Player()
    model.players["b"] = Player()
    session.projection("P") { scope in
      for key in model.players.keys.sorted() {
        scope.child("Title", id: key) { _ in model.players[key]?.title }
        scope.child("Level", id: key) { _ in model.players[key]?.level }
      }
    }
    #expect(session.measure { model.players["a"]?.level = 1 }.evaluationsByInstance == ["Level#a": 1])
    #expect(session.measure { model.players["c"] = Player() }.evaluations("P") == 1)
    #expect(session.measure { model.players["b"] = nil }.evaluations("P") == 1)
    #expect(session.diagnostics.isEmpty)
  }

  @Test func derivedValuesCutOff() {
    model.rows = [Item(id: 1), Item(id: 2)]
    let total = session.derived("total") { model.rows.reduce(0) { $0 + $1.count } }
    var seen: [Int] = []
    session.projection("P") { _ in seen.append(total.value) }
    model.rows[0].count = 5
    session.transaction {
      model.rows[0].count = 6
      model.rows[1].count = -1
    }
    model.rows[0].title = "x"
    #expect(seen == [0, 5])
  }

  @Test func onChangeRunsForChangesAndOnReceiveForSets() {
    var changes: [[Bool]] = []
    var sets: [Bool] = []
    session.onChange(of: \.isLoading, in: model) { changes.append([$0, $1]) }
    session.onReceive(of: \.isLoading, in: model) { sets.append($0) }
    model.isLoading = false
    model.isLoading = true
    session.transaction {
      model.isLoading = false
      model.isLoading = true
    }
    #expect(changes == [[false, true]])
    #expect(sets == [false, true, false, true])
  }

  @Test func aCallbackThatInvalidatesItselfIsStopped() {
    session.onChange(of: \.isLoading, in: model) { _, new in model.isLoading = !new }
    model.isLoading = true
    #expect(session.diagnostics.count == 1)
    var seen = 0
    session.projection("P") { _ in
      _ = model.text
      seen += 1
    }
    model.text = "x"
    #expect(seen == 2)
  }

  @Test func aReaderByIDKeepsItsSubscriptionWhileThereIsNoSuchElement() {
    model.rows = [Item(id: 1), Item(id: 2)]
    var seen: [Int?] = []
    session.projection("P") { _ in seen.append(model.rows[id: 2]?.count) }
    model.rows.remove(at: 1)
    model.rows.append(Item(id: 2, count: 5))
    model.rows.swapAt(0, 1)
    model.rows[id: 2].count = 6
    #expect(seen == [0, nil, 5, 6])
    let found = model.rows[id: 3]
    #expect(found == nil)
  }
}
