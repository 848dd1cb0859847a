import EventLog
import Foundation
import Invalidation
import Testing

@testable import Projection

/// The events that a session writes into its log.
@Suite struct RecordingTests {
  @Test func theLogLeadsToTheSameTimelineAndState() throws {
    let events = try record { session, model in
      session.projection("List") { scope in
        for index in model.rows.indices { scope.child("Row", id: index) { _ in model.rows[index] } }
      }
      session.onChange(of: \.isLoading, in: model) { _, new in if new { model.text = "busy" } }
      session.projection("Text", tracking: .object) { _ in model.text }
      model.rows = RecordedArray((1...5).map { Item(id: $0) })
      model.rows[2].title = "two"
      model.rows.remove(at: 0)
      model.players["a"] = Player()
      model.selected = model.players["a"]
      model.selected?.level = 0.5
      model.isLoading = true
      session.transaction("undone") {
        model.rows[0].count = 1
        model.rows[0].count = 0
      }
    }
    var timeline = Timeline()
    var derived: [TimelineLine] = []
    for event in events { derived += try timeline.apply(event) }
    let recorded = events.compactMap { event -> [String]? in
      guard case .invalidate(let name, let causes) = event.body else { return nil }
      return [name, "\(event.cause ?? 0)", "\(causes)"]
    }
    #expect(recorded == derived.map { [$0.projection, "\($0.seq)", "\($0.causes)"] })
    #expect(recorded.count > 5)
    let level = try Path(parsing: "app.selected.level")
    #expect(timeline.state.value(at: level) == 0.5)
    #expect(timeline.state.value(at: try Path(parsing: "app.rows[#count]")) == 4)
    #expect(timeline.state.value(at: try Path(parsing: "app.text")) == "busy")
  }

  @Test func anEditIsRecordedAsTheEdit() throws {
    let events = try record { _, model in
      model.rows = [Item(id: 7), Item(id: 8)]
      model.rows[1].count += 1
      model.rows.append(Item(id: 9))
      model.text.append("!")
      model.players["a"] = Player()
      model.players["a"]?.level = 1
      model.players["a"] = nil
    }
    let paths = events.compactMap { event -> String? in
      switch event.body {
      case .set(let path, _, _): "set \(path)"
      case .splice(let path, let offset, let delete, _, _): "splice \(path) \(offset) \(delete)"
      case .remove(let path, _): "remove \(path)"
      default: nil
      }
    }
    #expect(
      paths == [
        "set app", "splice app.rows 0 0", "set app.rows[id: 8].count", "splice app.rows 2 0",
        "splice app.text 27 0", "set app.players[\"a\"]", "set app.players[\"a\"].level",
        "remove app.players[\"a\"]",
      ])
  }

  @Test func aSetToAnEqualValueIsRecordedAndInvalidatesNothing() throws {
    let events = try record { session, model in
      session.projection("View") { _ in model.isLoading }
      model.isLoading = false
    }
    #expect(events.last?.body == .set(try Path(parsing: "app.isLoading"), false, sameValue: true))
  }

  @Test func writesOfACallbackHaveItsCause() throws {
    let events = try record { session, model in
      session.onChange(of: \.isLoading, in: model) { _, _ in model.text = "x" }
      session.projection("View") { _ in model.text }
      model.isLoading = true
    }
    let loading = try #require(events.first { $0.body.sets("app.isLoading") })
    let text = try #require(events.first { $0.body.sets("app.text") })
    #expect(text.cause == loading.seq)
    let run = try #require(
      events.last { if case .evaluate("View", _, _, _, _) = $0.body { true } else { false } })
    #expect(run.cause == text.seq)
  }

  @Test func aChildHasWithEachRunWhetherItsInputDiffered() throws {
    let events = try record { session, model in
      session.projection("Parent") { scope in
        let text = model.text
        scope.child("Given", input: text) { _ in model.isLoading }
        scope.child("Plain") { _ in model.isLoading }
        _ = model.selected
      }
      model.text = "x"
      model.selected = Player()
      // Now they run by themselves.
      model.isLoading = true
    }
    func inputs(_ wanted: String) -> [Bool?] {
      events.compactMap { event -> Bool?? in
        if case .evaluate(wanted, _, _, let inputChanged, _) = event.body { inputChanged } else { nil }
      }
    }
    #expect(inputs("Parent") == [nil, nil, nil])
    #expect(inputs("Given") == [nil, true, false])
    #expect(inputs("Plain") == [nil, nil, nil, nil])
  }

  @Test func whatCannotBeComparedDiffersOnlyWhereThatIsSure() {
    struct Style {
      var name: String
      let draw: () -> Void
    }
    let style = InputBox(Style(name: "a") {})
    #expect(style.isSame(as: nil) == nil)
    #expect(style.isSame(as: InputBox(Style(name: "a") {})) == nil)
    #expect(style.isSame(as: InputBox(Style(name: "b") {})) == false)
    #expect(style.isSame(as: InputBox("a")) == false)
    #expect(InputBox("a").isSame(as: style) == false)
    #expect(InputBox("a").isSame(as: InputBox("a")) == true)
    #expect(InputBox((1, "a")).isSame(as: InputBox((1, "a"))) == true)
  }

  @Test func timesAreWholeMicrosecondsAndAnInvalidationHasThatOfItsEvent() throws {
    let events = try record { session, model in
      session.projection("View") { _ in model.text }
      for number in 0..<50 { model.text = "\(number)" }
    }
    #expect(events.allSatisfy { $0.time % 1_000 == 0 })
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time })
    let invalidations = events.filter { if case .invalidate = $0.body { true } else { false } }
    #expect(invalidations.count == 50)
    for event in invalidations {
      let cause = try #require(event.cause)
      #expect(events[Int(cause) - 1].time == event.time)
    }
  }

  @Test(arguments: [Durability.written, .synced])
  func whatIsSyncedIsInTheFileBeforeTheSessionIsClosed(level: Durability) throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    var options = LogOptions()
    options.flushInterval = .seconds(3600)
    let session = try Session(recordingTo: url, options: options)
    let model = Model()
    session.attach(model, as: "app")
    model.text = "synced"
    try session.sync(level)
    model.text = "queued"
    var texts: [Value] = []
    // The log is not closed yet.
    try? LogReader(path: url.path).forEachEvent { event in
      if case .set(_, let value, _) = event.body, event.body.sets("app.text") { texts.append(value) }
      if case .splice = event.body { texts.append("spliced") }
    }
    #expect(texts.count == 1)
    try session.close()
    try session.sync()
    try Session().sync()
  }

  private func record(_ body: (Session, Model) throws -> Void) throws -> [Event] {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    let model = Model()
    session.attach(model, as: "app")
    try body(session, model)
    #expect(session.diagnostics == [])
    try closeAndCheck(session, url)
    let log = try LogReader(path: url.path)
    #expect(log.isClean)
    var events: [Event] = []
    try log.forEachEvent { events.append($0) }
    return events
  }
}

extension Event.Body {
  fileprivate func sets(_ text: String) -> Bool {
    if case .set(let path, _, _) = self { "\(path)" == text } else { false }
  }
}
