import Observation
import Projection
import Testing

/// Isolation to actors: of the class, of one property, and of the owner of the object.
@Suite struct IsolationTwins {
  @MainActor
  @Test(arguments: [false, true])
  func classesOfTheMainActorNotifyAlike(isAttached: Bool) {
    func script(_ model: some MainModelOfTwo) -> [String] {
      let journal = Journal()
      journal.watch("count") { _ = model.count }
      model.count = 1
      journal.watch("count") { _ = model.count }
      model.doubled = 8
      return journal.lines + ["\(model.count) \(model.seen)"]
    }
    let twin = LoggedMain()
    let session = session(recording: twin, if: isAttached)
    #expect(script(twin) == script(PlainMain()))
    withExtendedLifetime(session) {}
  }

  @MainActor
  @Test func aPropertyMayHaveAnIsolationOfItsOwn() {
    let model = PartlyMain()
    let session = Session()
    session.attach(model, as: "model")
    var seen: [String] = []
    session.projection("View") { _ in seen.append("\(model.shown) \(model.free)") }
    model.shown = "b"
    model.free = 2
    #expect(seen == ["a 1", "b 1", "b 2"])
    #expect(PartlyMain._$properties.map(\.name) == ["shown", "free", "list"])
  }

  @Test func anActorMayHoldARecordedObjectAndItsSession() async {
    #expect(await HoldingActor().run() == ["0 []", "1 []", "1 [4]"])
  }

  @ImageActor
  @Test func classesOfAnyGlobalActorAreRecorded() {
    let model = ImageModel()
    let session = Session()
    session.attach(model, as: "model")
    var seen: [Int] = []
    session.projection("View") { _ in seen.append(model.width) }
    model.width = 7
    #expect(seen == [1, 7])
  }

  @MainActor
  @Test func observationsFollowARecordedObject() async {
    let model = LoggedMain()
    var seen: [Int] = []
    for await count in Observations({ model.count }) {
      seen.append(count)
      if count == 2 { break }
      model.count += 1
    }
    #expect(seen == [0, 1, 2])
  }
}

@MainActor private protocol MainModelOfTwo: AnyObject {
  var count: Int { get set }
  var doubled: Int { get set }
  var seen: [Int] { get }
}

@MainActor @Observable private final class PlainMain: MainModelOfTwo {
  var count = 0 { didSet { seen.append(oldValue) } }
  var doubled: Int {
    get { count * 2 }
    set { count = newValue / 2 }
  }
  private(set) var seen: [Int] = []
  nonisolated let constant = 1
}

@MainActor @Recorded private final class LoggedMain: MainModelOfTwo {
  var count = 0 { didSet { seen.append(oldValue) } }
  var doubled: Int {
    get { count * 2 }
    set { count = newValue / 2 }
  }
  private(set) var seen: [Int] = []
  nonisolated let constant = 1
}

@Recorded private final class PartlyMain {
  @MainActor var shown = "a"
  var free = 1
  @MainActor let list = [1]
  @MainActor init() {}
}

private actor HoldingActor {
  private let model = Held()
  private let session = Session()

  func run() -> [String] {
    session.attach(model, as: "model")
    var seen: [String] = []
    session.projection("View") { [model] _ in seen.append("\(model.count) \(model.list)") }
    model.count += 1
    model.list.append(4)
    return seen
  }
}

@Recorded private final class Held {
  var count = 0
  var list: [Int] = []
}

@globalActor private actor ImageActor { static let shared = ImageActor() }

@ImageActor @Recorded private final class ImageModel { var width = 1 }
