import EventLog
import Foundation
import Projection
import Testing

@Suite struct RestoredValues {
  @Test func everyKindOfValueComesBackAsItWas() throws {
    let place = try LogPlace()
    let model = Everything()
    try place.record { session in
      session.attach(model, as: "model")
      model.number = -5
      model.small = .min
      model.large = .max
      model.ratio = 0.1
      model.single = 1.1
      model.flag = true
      model.text = "a\u{301}🙂\n"
      model.letter = "🙂"
      model.maybe = 7
      model.nested = .some(3)
      model.numbers = [1, 2, 3]
      model.table = ["b": 2, "a": 1]
      model.byNumber = [-1: "x", 20: "y"]
      model.byTag = [Tag(id: 1, name: "one"): 1]
      model.set = ["p", "q"]
      model.priority = .high
      model.shape = .circle(radius: 2)
      model.shapes = [.none, .square(1, isFilled: true)]
      model.mode = .writing
      model.tag = Tag(id: 1, name: "one", note: "n")
      model.tags = [Tag(id: 2, name: "two"), Tag(id: 3, name: "three")]
      model.tags[id: 3]?.name = "drei"
      model.index["k"] = Tag(id: 4, name: "four")
      model.byPriority[.high] = 2
      model.date = Date(timeIntervalSinceReferenceDate: 1.5)
      model.data = Data([1, 2, 255])
      model.url = URL(string: "https://example.org/a?b")
      model.price = Decimal(string: "12.30")!
      model.token = "secret"
      model.scratch = "kept apart"
    }
    let restored = try Recording(place.url).restore(Everything.self, root: "model")
    #expect(restored.number == -5 && restored.small == .min && restored.large == .max)
    #expect(restored.ratio == 0.1 && restored.single == 1.1 && restored.flag)
    #expect(restored.text == model.text && restored.letter == "🙂")
    #expect(restored.maybe == 7 && restored.nested == .some(3))
    #expect(restored.numbers == [1, 2, 3] && restored.table == ["b": 2, "a": 1])
    #expect(
      restored.byNumber == model.byNumber && restored.byTag == model.byTag && restored.set == ["p", "q"])
    #expect(restored.priority == .high && restored.mode == .writing)
    #expect(restored.shape == .circle(radius: 2) && restored.shapes == model.shapes)
    #expect(restored.tag == model.tag && restored.tags == model.tags && restored.index == model.index)
    #expect(restored.byPriority.entries == [.high: 2])
    #expect(restored.date == model.date && restored.id == model.id && restored.data == model.data)
    #expect(restored.url == model.url && restored.price == model.price)
    // Values that the log never had keep the initializer's values.
    #expect(restored.token == "default" && restored.scratch == "default")
  }

  @Test func aStateInTheMiddleIsRestoredAsItWas() throws {
    let place = try LogPlace()
    try place.record { session in
      let model = Everything()
      session.attach(model, as: "model")
      for number in 1...5 { model.number = number * 10 }
    }
    let recording = try Recording(place.url)
    #expect(recording.lastSeq == 6)
    #expect(try recording.restore(Everything.self, root: "model", at: 1).number == 1)
    #expect(try recording.restore(Everything.self, root: "model", at: 3).number == 20)
    #expect(try recording.restore(Everything.self, root: "model").number == 50)
    #expect(try recording.state(at: 3).value(at: Path(parsing: "model.number")) == 20)
  }

  @Test func aLogThatNamesNoTypesIsRestoredAsWhatIsWanted() throws {
    let place = try LogPlace()
    let writer = try LogWriter(creating: place.url.path)
    let next: Value = .map(["number": 2, "next": .null])
    try writer.append(
      .set(Path(parsing: "chain"), .map(["number": 1, "next": next]), sameValue: false), time: 0)
    try writer.close()
    let recording = try Recording(place.url)
    // A map does not become an object; only the root does.
    let restored = try recording.restoreWhatFits(Chain.self, root: "chain")
    #expect(restored.object.number == 1 && restored.object.next == nil)
    #expect(restored.problems.map { "\($0.path) \($0.recorded) \($0.expected)" } == ["chain.next map Chain"])
  }

  @Test func aPropertyThatIsRedactedNowIsNotRestoredFromALogThatHasIt() throws {
    let place = try LogPlace()
    let writer = try LogWriter(creating: place.url.path)
    try writer.append(
      .set(Path(parsing: "model"), .map(["token": "hash", "number": 4]), sameValue: false), time: 0)
    try writer.close()
    let restored = try Recording(place.url).restore(Everything.self, root: "model")
    #expect(restored.token == "default" && restored.number == 4)
  }

  @Test func aMissingRootIsReportedWithTheExistingOnes() throws {
    let place = try LogPlace()
    try place.record { $0.attach(Chain(), as: "chain") }
    let recording = try Recording(place.url)
    let error = #expect(throws: RestoreError.self) { try recording.restore(Chain.self, root: "store") }
    #expect(error?.description.contains("store: recorded as nothing") == true)
    #expect(error?.description.contains("chain") == true)
    #expect(throws: RestoreError.self) { try recording.restore(Chain.self, root: "chain", at: 0) }
  }
}
