import EventLog
import Foundation
import Projection
import ReplayAnalysis
import Testing

/// A host learns which of its projections are out of date, without looking at all of them.
@Suite struct HostSignalTests {
  let model = Model()

  private final class Calls {
    var names: [String] = []
  }

  private func log(
    delivery: Delivery = .immediate, _ body: (Session) throws -> Void
  ) throws -> HostedLog {
    try HostedLog(delivery: delivery) { session in
      session.attach(model, as: "app")
      try body(session)
    }
  }

  /// A hosted projection that has read the text, and adds its name to the calls when it goes out of date.
  private func view(_ name: String, in session: Session, _ calls: Calls) -> HostedProjection {
    let view = session.hosted(name)
    view.run { model.text }
    view.onInvalidate { calls.names.append(name) }
    return view
  }

  // MARK: Calls

  @Test func theHostIsCalledOnceUntilTheProjectionRunsAgain() throws {
    let calls = Calls()
    _ = try log { session in
      let view = view("View", in: session, calls)
      model.isLoading = true
      #expect(calls.names == [])
      model.text = "a"
      model.text = "b"
      #expect(calls.names == ["View"])
      view.run { model.text }
      model.text = "c"
      #expect(calls.names == ["View", "View"])
      model.text = "c"
      view.onInvalidate(nil)
      view.run { model.text }
      model.text = "d"
      #expect(calls.names == ["View", "View"])
    }
  }

  @Test func theHostIsCalledWhenTheTransactionIsOverAndOtherProjectionsHaveRun() throws {
    let calls = Calls()
    _ = try log { session in
      let view = view("View", in: session, calls)
      session.projection("Badge") { _ in calls.names.append("Badge \(model.text)") }
      calls.names = []
      session.transaction {
        model.text = "a"
        #expect(calls.names == [])
        model.text = "b"
      }
      #expect(calls.names == ["Badge b", "View"])
      #expect(view.isInvalidated)
    }
  }

  @Test func theHostIsNotCalledForATransactionThatChangesNothing() throws {
    let calls = Calls()
    _ = try log { session in
      let view = view("View", in: session, calls)
      let text = model.text
      session.transaction {
        model.text = "a"
        model.text = text
      }
      #expect(calls.names == [] && !view.isInvalidated)
    }
  }

  @Test func whatTheHostSeesIsTheNewValueAndTheObjectIsNotBeingChanged() throws {
    let row = ObservedRow()
    _ = try HostedLog { session in
      session.attach(row, as: "row")
      let view = session.hosted("View")
      view.run { row.count }
      var seen: [[Int]] = []
      view.onInvalidate { seen.append([row.count, row.noticed]) }
      row.count = 3
      // The class's own observer has run, as it has when a projection of the session runs.
      #expect(seen == [[3, 3]])
    }
  }

  @Test func aHostMayDrawWhenItIsCalled() throws {
    let log = try log { session in
      let view = session.hosted("View")
      var shown: [String] = []
      let draw = { [unowned view] in shown.append(view.run { model.text }) }
      draw()
      view.onInvalidate(draw)
      model.text = "a"
      model.text = "b"
      #expect(shown.suffix(2) == ["a", "b"])
    }
    #expect(log.runs.suffix(2).map(\.cause) == ["app.text = \"a\"", "app.text = \"b\""])
  }

  @Test func whatTheHostWritesHasTheChangeAsItsCause() throws {
    let log = try log { session in
      let view = session.hosted("View")
      view.run { model.text }
      view.onInvalidate { model.isLoading = true }
      model.text = "a"
    }
    #expect(log.writes.last == "app.isLoading = true <- app.text = \"a\"")
  }

  @Test func theHostIsCalledAtOnceForOneThatIsOutOfDate() throws {
    let calls = Calls()
    _ = try log { session in
      let view = session.hosted("View")
      view.run { model.text }
      model.text = "a"
      view.onInvalidate { calls.names.append("View") }
      #expect(calls.names == ["View"])
    }
  }

  @Test func aRunThatChangesWhatItReadCallsTheHostWhenItEnds() throws {
    let calls = Calls()
    _ = try log { session in
      let view = view("View", in: session, calls)
      view.run {
        _ = model.text
        model.text += "a"
        #expect(calls.names == [])
      }
      #expect(calls.names == ["View"])
      // It reads what it has written, so it is up to date.
      view.run {
        model.text += "b"
        _ = model.text
      }
      #expect(calls.names == ["View"] && !view.isInvalidated)
    }
  }

  @Test func aChangeByAnotherThreadCallsTheHostThere() throws {
    let player = Player()
    _ = try log { session in
      model.selected = player
      let view = session.hosted("View")
      view.run { player.title }
      let main = pthread_self()
      nonisolated(unsafe) var isElsewhere = false
      view.onInvalidate { isElsewhere = pthread_equal(pthread_self(), main) == 0 }
      onAnotherThread { player.title = "b" }
      #expect(isElsewhere)
    }
  }

  @Test func hostsThatKeepPuttingEachOtherOutOfDateAreStopped() throws {
    let log = try log { session in
      let (a, b) = (session.hosted("A"), session.hosted("B"))
      a.run { model.text }
      b.run { model.isLoading }
      a.onInvalidate { [unowned a] in
        a.run { model.text }
        model.isLoading.toggle()
      }
      b.onInvalidate { [unowned b] in
        b.run { model.isLoading }
        model.text += "."
      }
      model.text = "a"
      let messages = session.diagnostics.map(\.message)
      #expect(messages.contains { $0.hasPrefix("stopped after 100 rounds: onInvalidate") })
      // The session goes on.
      a.onInvalidate(nil)
      model.text = "b"
      #expect(a.isInvalidated)
    }
    #expect(log.runs.count < 300)
  }

  @Test func theHostIsNotCalledForOneThatHasEnded() throws {
    let calls = Calls()
    _ = try log { session in
      let view = view("View", in: session, calls)
      var other: HostedProjection? = self.view("Other", in: session, calls)
      view.dispose()
      other = nil
      model.text = "a"
      #expect(calls.names == [] && other == nil)
      view.onInvalidate { calls.names.append("again") }
      #expect(calls.names == [])
    }
  }

  @Test func theSessionReleasesTheActionWhenTheProjectionEnds() throws {
    weak var calls: Calls?
    _ = try log { session in
      let made = Calls()
      calls = made
      let view = session.hosted("View")
      view.onInvalidate { made.names = [] }
      view.dispose()
    }
    #expect(calls == nil)
  }

  // MARK: The list

  @Test func theSessionHasAllThatAreOutOfDateInOrderOfCreation() throws {
    _ = try log { session in
      let views = (0..<100).map { session.hosted("View", id: $0) }
      for (index, view) in views.enumerated() { view.run { index % 10 == 3 ? model.text : "" } }
      #expect(session.invalidatedHosted.isEmpty)
      model.text = "a"
      #expect(session.invalidatedHosted.map(\.name) == (0..<10).map { "View#\(10 * $0 + 3)" })
      views[13].run { model.text }
      views[23].dispose()
      model.text = "b"
      let others = [0, 1, 3, 4, 5, 6, 7, 8, 9]
      #expect(session.invalidatedHosted.map(\.name) == others.map { "View#\(10 * $0 + 3)" })
    }
  }

  @Test func collectedChangesPutProjectionsOutOfDateWhenTheSessionFlushes() throws {
    let calls = Calls()
    let log = try log(delivery: .manual) { session in
      let view = view("View", in: session, calls)
      model.text = "a"
      model.text = "b"
      #expect(session.invalidatedHosted.isEmpty && calls.names == [])
      session.flush()
      #expect(session.invalidatedHosted.map(\.name) == ["View"] && calls.names == ["View"])
      view.run { model.text }
      session.flush()
      #expect(session.invalidatedHosted.isEmpty && calls.names == ["View"])
    }
    #expect(log.runs.last?.cause == "transaction")
  }

  @Test func aClosedSessionHasNone() throws {
    let session = Session()
    session.attach(model, as: "app")
    let view = session.hosted("View")
    view.run { model.text }
    model.text = "a"
    #expect(session.invalidatedHosted.count == 1)
    try session.close()
    #expect(session.invalidatedHosted.isEmpty)
    view.onInvalidate { Issue.record("called") }
    model.text = "b"
  }
}

@Recorded private final class ObservedRow {
  var noticed = 0
  var count = 0 {
    didSet { noticed = count }
  }
}
