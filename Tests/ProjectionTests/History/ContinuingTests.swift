import EventLog
import Foundation
import Projection
import Testing

@Suite struct Continuing {
  @Test func recordingOnContinuesTheLogWithItsNumbers() throws {
    let place = try LogPlace()
    try place.record { session in
      let root = Folder(id: 1, name: "root")
      session.attach(root, as: "root")
      session.projection("P") { _ in root.name }
      root.children.append(Folder(id: 2, name: "a"))
    }
    let before = try Recording(place.url)
    let count = before.lastSeq

    let session = try Session(continuing: place.url)
    let root = try session.restore(Folder.self, root: "root")
    var names: [String] = []
    session.projection("P") { _ in names.append(root.children.map(\.name).joined(separator: ",")) }
    root.children[0].name = "b"
    root.children.append(Folder(id: 3, name: "c"))
    #expect(names == ["a", "b", "b,c"])
    try session.close()

    let after = try Recording(place.url)
    let state = try after.state(at: .max)
    #expect(state.objects.keys.map(\.number).sorted() == [1, 2, 3])
    #expect(state.value(at: try Path(parsing: "root.children[id: 2].name")) == "b")
    var last: UInt64 = 0
    var isSorted = true
    var disposed: [UInt64] = []
    for step in after {
      isSorted = isSorted && step.event.time >= last
      last = step.event.time
      if case .dispose("P") = step.event.body { disposed.append(step.event.seq) }
    }
    #expect(isSorted && disposed.first == count + 1)
    // The events of the log are unchanged.
    #expect(Array(before) == Array(after.prefix(Int(count))))
  }

  @Test func restoringAndDoingNothingRecordsNoMutation() throws {
    let place = try LogPlace()
    try place.record { session in
      let model = Everything()
      session.attach(model, as: "model")
      model.tags = [Tag(id: 1, name: "one")]
      model.token = "secret"
    }
    let count = try Recording(place.url).lastSeq
    let session = try Session(continuing: place.url)
    _ = try session.restore(Everything.self, root: "model")
    try session.close()
    let bodies = try Recording(place.url).map(\.event).filter { $0.seq > count }.map(\.body)
    #expect(bodies == [.begin(label: "restore"), .end])
  }

  @Test func aDerivedValueOfARedactedPropertyStaysOutOfTheLog() throws {
    let place = try LogPlace()
    try place.record { $0.attach(Everything(), as: "model") }
    let session = try Session(continuing: place.url)
    let model = try session.restore(Everything.self, root: "model")
    let copy = session.derived("copy") { "copy of \(model.token)" }
    var seen: [String] = []
    session.projection("Reader") { _ in seen.append(copy.value) }
    model.token = "secret"
    #expect(seen == ["copy of default", "copy of secret"])
    try session.close()
    let bodies = try Recording(place.url).map(\.event.body)
    #expect(!bodies.contains { "\($0)".contains("copy of") })
  }

  @Test func aNewerAppRecordsWhatItAddsAndMoves() throws {
    let place = try LogPlace()
    try place.record { session in
      let chain = Legacy.Chain()
      session.attach(chain, as: "chain")
      chain.count = 4
    }
    let migrations: [Migration] = [.rename("Chain.count", to: "number")]
    let session = try Session(continuing: place.url, migrations: migrations)
    let chain = try session.restore(Chain.self, root: "chain")
    #expect(chain.number == 4)
    chain.number = 5
    try session.close()
    let recording = try Recording(place.url, migrations: migrations)
    #expect(try recording.restore(Chain.self, root: "chain").number == 5)
    #expect(try recording.restore(Chain.self, root: "chain", at: 2).number == 4)
    #expect(try recording.state(at: .max).value(at: Path(parsing: "chain.count")) == nil)
  }

  @Test func twoRootsShareWhatTheyShared() throws {
    let place = try LogPlace()
    try place.record { session in
      let (a, b, shared) = (Folder(id: 1, name: "a"), Folder(id: 2, name: "b"), Folder(id: 3, name: "s"))
      (a.children, b.children) = ([shared], [shared])
      session.attach(a, as: "a")
      session.attach(b, as: "b")
    }
    let session = try Session(continuing: place.url)
    let a = try session.restore(Folder.self, root: "a")
    let b = try session.restore(Folder.self, root: "b")
    #expect(a.children[0] === b.children[0])
    // The session's own log can be applied to it.
    a.children[0].name = "changed"
    try session.apply(Recording(place.url), through: 2)
    #expect(b.children[0].name == "s" && a.children[0] === b.children[0])
  }

  @Test func aRestoreWithValuesThatDoNotFitAttachesNothing() throws {
    let place = try LogPlace()
    try place.record { $0.attach(Legacy.Chain(), as: "chain") }
    let session = try Session(continuing: place.url)
    #expect(throws: RestoreError.self) { try session.restore(Chain.self, root: "chain") }
    let restored = try session.restoreWhatFits(Chain.self, root: "chain")
    #expect(restored.problems.count == 1 && restored.object.number == 0)
  }

  @Test func aTransactionThatACrashLeftOpenIsEnded() throws {
    let place = try LogPlace()
    let writer = try LogWriter(creating: place.url.path)
    let object = ObjectDefinition(id: ObjectID(1), type: "Chain", fields: ["number": 1, "next": .null])
    let path = try Path(parsing: "chain")
    try writer.append(.set(path, .object(object), sameValue: false), time: 5)
    try writer.append(.begin(label: "cut off"), time: 1_000_000_000_000)
    try writer.close()
    let session = try Session(continuing: place.url)
    let chain = try session.restore(Chain.self, root: "chain")
    var runs = 0
    session.projection("P") { _ in runs += chain.number }
    chain.number = 10
    #expect(runs == 11)
    try session.close()
    let events = try Recording(place.url).map(\.event)
    #expect(events[2].body == .end && events[2].time >= 1_000_000_000_000)
  }
}

private enum Legacy {
  @Recorded final class Chain {
    var count = 0
    var next: Chain?
  }
}
