import EventLog
import Observation
import Synchronization
import Testing

@testable import Projection

@Recorded final class EncodedEpisode: Identifiable {
  let id: Int
  var title = ""
  @Redacted var token = "secret"
  @RecordedIgnored var scratch = 1
  weak var next: EncodedEpisode?
  let lock = Mutex(0)
  init(id: Int) { self.id = id }
}

@Recorded final class EncodedTrack: Identifiable {
  var name = "n"
  var id: String { "track-" + name }
}

@Recorded final class EncodedAnonymous: Identifiable { var name = "n" }

@Suite struct EncodingObjects {
  @Test func anObjectIsDefinedOnceAndReferredToLater() {
    let (a, b) = (EncodedEpisode(id: 1), EncodedEpisode(id: 2))
    a.next = b
    b.next = a
    let table = AttachedObjects()
    let second: Value = .object(
      ObjectDefinition(
        id: ObjectID(2), type: "EncodedEpisode",
        fields: ["id": 2, "title": "", "token": .redacted, "next": .reference(ObjectID(1))]))
    #expect(
      table.encode([a, b])
        == [
          .object(
            ObjectDefinition(
              id: ObjectID(1), type: "EncodedEpisode",
              fields: ["id": 1, "title": "", "token": .redacted, "next": second])),
          .reference(ObjectID(2)),
        ])
    #expect(table.encode(a) == .reference(ObjectID(1)))
  }

  @Test func aComputedIdIsAField() {
    let table = AttachedObjects()
    guard case .object(let track) = table.encode(EncodedTrack()),
      case .object(let anonymous) = table.encode(EncodedAnonymous())
    else { return #expect(Bool(false), "not objects") }
    #expect(Array(track.fields.keys) == ["id", "name"])
    #expect(track.fields["id"] == "track-n")
    #expect(anonymous.fields == ["name": "n"])
  }

  @Test func objectsInsideEncodableValuesAreFound() {
    struct Holder {
      var episode: EncodedEpisode
      var list: [String: EncodedEpisode]
    }
    let episode = EncodedEpisode(id: 1)
    let table = AttachedObjects()
    _ = table.encode(episode)
    #expect(
      table.encode(Holder(episode: episode, list: ["k": episode]))
        == .map(["episode": .reference(ObjectID(1)), "list": .map(["k": .reference(ObjectID(1))])]))
  }

  @Test func aSnapshotRegistersNoReads() {
    let episode = EncodedEpisode(id: 1)
    let fired = Mutex(0)
    withObservationTracking {
      _ = encoded(episode)
    } onChange: {
      fired.withLock { $0 += 1 }
    }
    episode.title = "new"
    #expect(fired.withLock { $0 } == 0)
  }

  @Test func aChainOfObjectsOfAnyLengthIsRecorded() throws {
    let all = (0..<5_000).map(EncodedEpisode.init)
    for (episode, next) in zip(all, all.dropFirst()) { episode.next = next }
    let session = Session()
    session.attach(all[0], as: "first")
    all[4_999].title = "last"
    all[60].title = "deep"
    #expect(session.diagnostics == [])
    let state = session.engine.coreState
    #expect(state.objects.count == all.count)
    var path = Path(root: .named("first"))
    for _ in 0..<4_999 { path.components.append(.property("next")) }
    #expect(state.value(at: path.appending(.property("title"))) == "last")
  }

  @Test func objectsDeepInADeepObjectAreEncoded() {
    struct Box { var episode: EncodedEpisode }
    let all = (0..<100).map(EncodedEpisode.init)
    for (episode, next) in zip(all, all.dropFirst()) { episode.next = next }
    let session = Session()
    let value = session.engine.encode([[Box(episode: all[0])]])
    guard case .array(let outer) = value, case .array(let inner)? = outer.first,
      case .map(let box)? = inner.first,
      case .object(let first)? = box["episode"]
    else { return #expect(Bool(false), "\(value)") }
    #expect(first.fields["id"] == 0)
    #expect(session.engine.deepDefinitions.last?.fields["id"] == 99)
    #expect(session.engine.deepDefinitions.contains { $0.fields["next"] == .reference(ObjectID(50)) })
  }
}
