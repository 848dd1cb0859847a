import EventLog
import Projection
import ReplayAnalysis
import Testing

/// Frames of a host: what runs in one has a cause, and what follows from it, too.
@Suite struct HostedFramesTests {
  let model = Model()

  private func log(
    delivery: Delivery = .immediate, _ body: (Session) throws -> Void
  ) throws -> HostedLog {
    try HostedLog(delivery: delivery) { session in
      session.attach(model, as: "app")
      try body(session)
    }
  }

  @Test func whatRunsForNoOtherReasonRunsForTheFrame() throws {
    let log = try log { session in
      let parent = session.hosted("Parent"), child = session.hosted("Child", parent: parent)
      for text in ["a", "a", "b"] {
        if text == "b" { model.text = text }
        session.frame("draw") {
          parent.run { model.text }
          child.run { model.isLoading }
        }
      }
    }
    let set = "app.text = \"b\""
    #expect(log.runs.map(\.cause) == ["action", "action", "action", "action", set, set])
  }

  @Test func changesWithinAFrameDoNotTearApartAParentAndItsChild() throws {
    let log = try log { session in
      let parent = session.hosted("Parent"), child = session.hosted("Child", parent: parent)
      for text in ["a", "aa"] {
        model.text = text
        session.frame {
          parent.run { model.text }
          model.isLoading.toggle()
          session.mark("measured")
          child.run { 0 }
          parent.perform { model.selected = Player() }
        }
      }
    }
    #expect(log.runs.last == HostedLog.Run("Child", changed: false, cause: "app.text = \"aa\""))
    #expect(log.writes.last == "app.selected <- app.text = \"aa\"")
  }

  @Test func whatFollowsFromARunIsCausedByItUntilTheFrameEnds() throws {
    let log = try log { session in
      let view = session.hosted("View")
      view.run { model.text }
      model.text = "a"
      session.frame {
        view.run { model.text }
        view.perform { model.isLoading = true }
      }
      view.perform { model.isLoading = false }
    }
    #expect(
      log.writes.suffix(2) == [
        "app.isLoading = true <- app.text = \"a\"", "app.isLoading = false <- nothing",
      ])
  }

  @Test func aFrameFlushesFirst() throws {
    _ = try log(delivery: .manual) { session in
      let view = session.hosted("View")
      view.run { model.text }
      model.text = "a"
      var names: [String] = []
      session.frame { names = session.invalidatedHosted.map(\.name) }
      #expect(names == ["View"])
    }
  }

  @Test func aFrameThatIsDrawnAsSoonAsSomethingChangesIsAFrame() throws {
    let log = try log { session in
      let parent = session.hosted("Parent"), child = session.hosted("Child", parent: parent)
      let other = session.hosted("Other")
      func draw() {
        session.frame {
          parent.run { model.text }
          child.run { 0 }
          other.run { model.isLoading }
        }
      }
      draw()
      parent.onInvalidate(draw)
      model.text = "a"
      parent.onInvalidate(nil)
    }
    let set = "app.text = \"a\""
    #expect(log.runs.suffix(3).map(\.cause) == [set, set, "action"])
  }

  @Test func aFrameThatThrowsHasEnded() throws {
    struct Failure: Error {}
    let log = try log { session in
      let view = session.hosted("View")
      view.run { model.text }
      model.text = "a"
      #expect(throws: Failure.self) {
        try session.frame {
          view.run { model.text }
          throw Failure()
        }
      }
      view.perform { model.isLoading = true }
    }
    #expect(log.writes.last == "app.isLoading = true <- nothing")
    #expect(log.events.contains { $0.body == .finish(.threw) })
  }

  @Test func measuringAChildDoesNotMakeTheParentDependOnWhatItReads() throws {
    let log = try log { session in
      let parent = session.hosted("Parent"), child = session.hosted("Child", parent: parent)
      func body() -> String { model.text }
      for _ in 0..<2 {
        session.frame {
          parent.run {
            // The child's own run is nested, and a body without a run is evaluated aside.
            let width = untracked { body().count } + child.run { body() }.count
            return model.isLoading ? width : 0
          }
          child.run { body() }
        }
      }
      model.text = "a"
      #expect(!parent.isInvalidated && child.isInvalidated)
      model.isLoading.toggle()
      #expect(parent.isInvalidated)
    }
    #expect(log.names == ["Child", "Parent", "Child", "Child", "Parent", "Child"])
  }

  @Test func aViewHasNoPlaceIfItsHostKnowsNone() throws {
    let log = try log { session in
      session.hosted("Named").run { 0 }
      session.hosted("View", fileID: nil).run { 0 }
    }
    let sites = log.events.compactMap { event -> String?? in
      guard case .projection = event.body else { return nil }
      return event.site
    }
    #expect(
      sites.count == 2 && sites[0]?.contains("HostedFramesTests.swift:") == true && sites[1] == .some(nil))
  }
}
