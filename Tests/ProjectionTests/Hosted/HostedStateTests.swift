import EventLog
import Foundation
import Projection
import ReplayAnalysis
import Testing

/// The state that a framework keeps for a view is in the log under the view's name, as long as the view is there.
@Suite struct HostedStateTests {
  @Recorded final class Box<Value: Sendable> {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  /// The names of the roots after each event that attaches or detaches one.
  private func roots(_ log: HostedLog) throws -> [[String]] {
    var state = State()
    var found: [[String]] = []
    for event in log.events where event.body.writtenPath != nil {
      try state.apply(event.body)
      if event.body.writtenPath?.components.isEmpty == true { found.append(Array(state.roots.keys)) }
    }
    return found
  }

  @Test func theStateOfAViewIsItsRootAsLongAsItIsThere() throws {
    let log = try HostedLog { session in
      let view = session.hosted("Counter", id: 3)
      let box = Box(0)
      view.run {
        view.attach(box, as: "count")
        return box.value
      }
      box.value = 1
      #expect(view.isInvalidated)
      view.dispose()
      // The app still has it.
      box.value = 2
    }
    #expect(try roots(log) == [["Counter#3 count"], []])
    #expect(log.writes.suffix(3).first == "[\"Counter#3 count\"].value = 1 <- nothing")
    #expect(log.writes.last?.hasSuffix(".value = 2 <- nothing") == true)
  }

  @Test func theStateOfAViewThatIsReleasedEnds() throws {
    let log = try HostedLog { session in
      var view: HostedProjection? = session.hosted("Counter")
      view?.attach(Box("a"), as: "text")
      view?.attach(Box(1), as: "count")
      #expect(view != nil)
      view = nil
      session.flush()
    }
    #expect(try roots(log).last == [])
  }

  @Test func aViewThatComesBackGetsTheSameName() throws {
    let log = try HostedLog { session in
      for number in 0..<3 {
        let view = session.hosted("Counter")
        let box = Box(number)
        view.attach(box, as: "count")
        box.value += 10
        view.dispose()
      }
    }
    #expect(try roots(log) == Array(repeating: [["Counter count"], []], count: 3).flatMap { $0 })
  }

  @Test func aRootThatIsDetachedIsAnOrdinaryObject() throws {
    let log = try HostedLog { session in
      let (first, second) = (Box(1), Box(2))
      session.attach(first, as: "box")
      let view = session.hosted("View")
      view.run { first.value }
      session.detach("box")
      session.detach("box")
      session.detach("nothing")
      #expect(!view.isInvalidated)
      first.value = 3
      #expect(view.isInvalidated)
      session.attach(second, as: "box")
      second.value = 4
    }
    #expect(try roots(log) == [["box"], [], ["box"]])
    #expect(log.writes.last == "box.value = 4 <- nothing")
  }

  @Test func anObjectThatIsHeldElsewhereStaysThere() throws {
    let model = Model()
    let player = Player()
    let log = try HostedLog { session in
      session.attach(model, as: "app")
      let view = session.hosted("View")
      view.attach(player, as: "player")
      model.selected = player
      view.dispose()
      player.title = "b"
    }
    #expect(log.writes.last == "app.selected.title = \"b\" <- nothing")
  }

  @Test func aRecordingWithStateThatEndedIsRestoredAndApplied() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    let (kept, gone) = (Box(1), Box(2))
    session.attach(kept, as: "kept")
    session.attach(gone, as: "gone")
    session.detach("gone")
    kept.value = 5
    try closeAndCheck(session, url)
    let recording = try Recording(url)
    let other = Session()
    let box = Box(0)
    other.attach(box, as: "kept")
    #expect(try other.apply(recording, through: .max).isEmpty)
    #expect(box.value == 5)
  }
}
