import EventLog
import Foundation
import Projection
import Synchronization
import Testing

@Suite struct TimeTravel {
  /// Twelve events: the attachment, and then numbers, rows and texts.
  private func record(at place: LogPlace) throws {
    try place.record { session in
      let root = Folder(id: 1, name: "root")
      session.attach(root, as: "root")
      root.children.append(Folder(id: 2, name: "a"))
      root.children.append(Folder(id: 3, name: "b"))
      root.children[0].name = "aa"
      root.name = "top"
      root.children.remove(at: 0)
      root.friends["b"] = root.children[0]
    }
  }

  @Test func liveObjectsGoForwardsAndBackwards() throws {
    let place = try LogPlace()
    try record(at: place)
    let recording = try Recording(place.url)
    let session = Session()
    let live = Folder(id: 1, name: "live")
    session.attach(live, as: "root")
    var names: [String] = []
    session.projection("Names") { _ in names = [live.name] + live.children.map(\.name) }

    #expect(try session.apply(recording, through: 4).isEmpty)
    #expect(names == ["root", "aa", "b"])
    let (a, b) = (live.children[0], live.children[1])
    try session.apply(recording, through: .max)
    #expect(names == ["top", "b"] && live.children[0] === b && live.friends["b"] === b)
    try session.apply(recording, through: 3)
    #expect(names == ["root", "a", "b"] && live.children[0] === a && live.children[1] === b)
    #expect(live.friends.isEmpty)
    try session.apply(recording, through: 1)
    #expect(names == ["root"])
  }

  @Test func onlyWhatReadsADifferenceRunsAgainAndOnce() throws {
    let place = try LogPlace()
    try record(at: place)
    let recording = try Recording(place.url)
    let session = Session()
    let live = try recording.restore(Folder.self, root: "root", at: 3)
    session.attach(live, as: "root")
    session.projection("Name") { _ in live.name }
    session.projection("First") { _ in live.children.first?.name ?? "" }
    session.projection("Count") { _ in live.children.count }
    let report = try session.measure { try session.apply(recording, through: 5) }
    #expect(report.evaluationsByInstance == ["Name": 1, "First": 1])
    #expect(try session.measure { try session.apply(recording, through: 5) }.totalEvaluations == 0)
  }

  @Test func callbacksAreOffUnlessRequestedAndRunForLaterChanges() throws {
    let place = try LogPlace()
    try record(at: place)
    let recording = try Recording(place.url)
    let session = Session()
    let live = Folder(id: 1, name: "live")
    session.attach(live, as: "root")
    var heard: [String] = []
    session.onChange(of: \.name, in: live) { heard.append("change \($0) \($1)") }
    session.onReceive(of: \.name, in: live) { heard.append("receive \($0)") }
    session.projection("P") { scope in
      for child in live.children {
        scope.child("C", id: child.id) { scope in scope.onFirstAppear { heard.append("appear") } }
      }
    }
    try session.apply(recording, through: 4)
    #expect(live.name == "root" && heard.isEmpty)
    live.name = "mine"
    #expect(heard == ["change root mine", "receive mine"])
    heard = []
    try session.apply(recording, through: .max, runningCallbacks: true)
    #expect(heard == ["change mine top", "receive top"])
  }

  @Test func theClassesOwnObserversDoNotRun() throws {
    let place = try LogPlace()
    try place.record { session in
      let observed = Observed()
      session.attach(observed, as: "observed")
      observed.value = 5
    }
    let session = Session()
    let live = Observed()
    session.attach(live, as: "observed")
    try session.apply(Recording(place.url), through: .max)
    // The log contains the effect of `didSet` at the time, so it must not run again.
    #expect(live.value == 5 && live.seen == ["will 1 to 5", "did 1 to 5"])
  }

  @Test func observersOfTheStandardLibraryAreNotified() throws {
    let place = try LogPlace()
    try record(at: place)
    let session = Session()
    let live = Folder(id: 1, name: "live")
    session.attach(live, as: "root")
    let count = Mutex(0)
    withObservationTracking {
      _ = live.name
    } onChange: {
      count.withLock { $0 += 1 }
    }
    try session.apply(Recording(place.url), through: .max)
    #expect(count.withLock { $0 } == 1)
  }

  @Test func appliedChangesAreRecordedLikeAnyOthers() throws {
    let place = try LogPlace()
    try record(at: place)
    let again = try LogPlace()
    try again.record { session in
      let live = Folder(id: 1, name: "live")
      session.attach(live, as: "root")
      let recording = try Recording(place.url)
      for seq in [3, 8, 4, 2, 6] as [UInt64] { try session.apply(recording, through: seq) }
    }
    let restored = try Recording(again.url).restore(Folder.self, root: "root")
    let expected = try Recording(place.url).restore(Folder.self, root: "root", at: 6)
    #expect(restored.name == expected.name)
    #expect(restored.children.map(\.name) == expected.children.map(\.name))
  }

  @Test func existingObjectsArePairedWithThoseOfTheRecording() throws {
    let place = try LogPlace()
    try record(at: place)
    let session = Session()
    let live = Folder(id: 1, name: "live")
    let (three, four) = (Folder(id: 3, name: "x"), Folder(id: 4, name: "y"))
    live.children = [four, three]
    session.attach(live, as: "root")
    try session.apply(Recording(place.url), through: 3)
    #expect(live.children.map(\.id) == [2, 3] && live.children[1] === three && three.name == "b")
  }

  @Test func valuesThatDoNotFitAreReportedAndStayAsTheyAre() throws {
    let place = try LogPlace()
    try place.record { session in
      let model = Everything()
      session.attach(model, as: "root")
    }
    let session = Session()
    let live = Folder(id: 1, name: "live")
    session.attach(live, as: "root")
    let problems = try session.apply(Recording(place.url), through: .max)
    #expect(problems.map(\.recorded) == ["Everything"])
    #expect(live.name == "live")
  }
}

@Suite struct RecordingSteps {
  @Test func everyStepHasItsEventAndWhatItInvalidated() throws {
    let place = try LogPlace()
    try place.record { session in
      let chain = Chain()
      session.attach(chain, as: "chain")
      session.projection("P") { _ in chain.number }
      chain.number = 1
      chain.number = 1
      session.transaction {
        chain.number = 2
        chain.number = 3
      }
    }
    let recording = try Recording(place.url)
    let invalidating = recording.filter { !$0.invalidated.isEmpty }
    #expect(invalidating.map(\.invalidated) == [["P"], ["P"]])
    #expect(invalidating.map(\.event.body).last == .end)
    #expect(recording.map(\.event.seq) == Array(1...recording.lastSeq))
    // From the middle the result is the same.
    let all = Array(recording)
    for seq in 1...recording.lastSeq {
      var rest: [Recording.Step] = []
      try recording.forEachStep(from: seq) { rest.append($0) }
      #expect(rest == Array(all[Int(seq - 1)...]))
    }
  }
}
