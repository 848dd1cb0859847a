import Projection
import Testing

/// Actions of the host that follow from a run, such as a view's callbacks.
@Suite struct HostedActionTests {
  let model = Model()

  private func writes(_ body: (Session) throws -> Void) throws -> [String] {
    let log = try HostedLog { session in
      session.attach(model, as: "app")
      try body(session)
    }
    return Array(log.writes.dropFirst())
  }

  @Test func whatAnActionWritesHasTheCauseOfTheRun() throws {
    let writes = try writes { session in
      let view = session.hosted("View")
      view.run { model.text }
      model.text = "a"
      view.run { model.text }
      view.perform { model.isLoading = true }
      // The same run causes a second action.
      view.perform { model.isLoading = false }
    }
    #expect(
      writes == [
        "app.text = \"a\" <- nothing", "app.isLoading = true <- app.text = \"a\"",
        "app.isLoading = false <- app.text = \"a\"",
      ])
  }

  @Test func anActionOfALaterTurnHasNoCause() throws {
    let writes = try writes { session in
      let view = session.hosted("View")
      view.run { model.text }
      model.text = "a"
      view.run { model.text }
      session.endHostTurn()
      view.perform { model.isLoading = true }
    }
    #expect(writes.last == "app.isLoading = true <- nothing")
  }

  @Test func aWriteOfSomeoneElseEndsTheTurnOfAnAction() throws {
    let writes = try writes { session in
      let view = session.hosted("View")
      view.run { model.text }
      model.text = "a"
      view.run { model.text }
      model.text = "b"
      view.perform { model.isLoading = true }
    }
    #expect(writes.last == "app.isLoading = true <- nothing")
  }

  @Test func anActionIsNoRunAndReadsNothing() throws {
    let log = try HostedLog { session in
      session.attach(model, as: "app")
      let view = session.hosted("View")
      view.run { model.text }
      #expect(view.perform { model.isLoading } == model.isLoading)
      model.isLoading.toggle()
      #expect(!view.isInvalidated)
    }
    #expect(log.names == ["View"])
    #expect(log.invalidated == [])
  }

  @Test func whatAnActionMakesOutOfDateRunsAtOnce() throws {
    var shown: [String] = []
    let log = try HostedLog { session in
      session.attach(model, as: "app")
      session.projection("Own") { _ in shown.append(model.text) }
      let view = session.hosted("View")
      view.run { model.isLoading }
      view.perform {
        model.text = "a"
        #expect(shown.last == "a")
      }
    }
    #expect(log.names == ["Own", "View", "Own"])
  }

  @Test func anActionRunsAfterTheEndOfItsProjectionAndItsSession() throws {
    let session = Session()
    session.attach(model, as: "app")
    let (first, second) = (session.hosted("First"), session.hosted("Second"))
    first.dispose()
    #expect(first.perform { 1 } == 1)
    try session.close()
    #expect(second.perform { 2 } == 2)
  }
}
