import EventLog
import Foundation
import LogGenerator
@testable import Mailbox
@testable import Projection
import Testing

/// The mail app, recorded, and driven through itself, with another seed in each run.
///
/// What its log does not hold, as it is code of the app, happens by hand at the marks before it: that a pause ends, and that the
/// view of a window is made and ended.
@Suite struct DrivenMailboxTests {
  @Test func theMailAppDrivenThroughItselfHasTheSameLog() throws {
    let seed = testSeed()
    let folder = FileManager.default.temporaryDirectory.appending(path: "mail-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (recorded, driven) = (folder.appending(path: "a.evlog"), folder.appending(path: "b.evlog"))
    func person<World: MailWorld>(in world: World) -> Person<World> {
      Person(in: world, messages: 120, rowsShown: 10, seed: seed, ids: .seeded(seed))
    }

    let session = try Session(recordingTo: recorded, clock: MailClock())
    // The times of the log are those by which callbacks wait: none passes.
    session.engine.withLock { $0.recorder.stand(at: 0) }
    session.mark("begin")
    let world = MarkedWorld(in: session)
    let first = person(in: world)
    for _ in 0..<250 { first.step { $1() } }
    try session.close()
    #expect(first.app.check() == [], "seed \(seed)")

    let windows = OpenedWindows()
    let recording = try Recording(recorded, types: [Self.messages, windows.type])
    let drive = try Drive(recording, recordingTo: driven)
    try drive.run(through: .mark("begin"))
    let second = person(in: RecordedWorld(in: drive.session, clock: nil))
    var ends: [String: () -> Void] = [:]
    for (number, hand) in world.hands.enumerated() {
      try drive.run(through: .mark("hand \(number)"))
      switch hand {
      case .pauseEnds: drive.session.flush()
      case .windowOpens(let name):
        let window = try windows.open(from: drive.nextSeq, of: recorded, second.app.store)
        ends[name] = second.app.show(window, as: name)
      case .windowCloses(let name): ends.removeValue(forKey: name)?()
      }
    }
    try drive.run()
    try drive.session.close()
    #expect(drive.problems == [], "seed \(seed)")
    let (a, b) = (try SampleLog(at: recorded).events, try SampleLog(at: driven).events)
    let common = zip(a, b).prefix { $0 == $1 }.count
    #expect(
      a == b,
      "seed \(seed), after \(common): \(a.dropFirst(common).prefix(3)), \(b.dropFirst(common).prefix(3))")
    #expect(world.hands.contains { if case .windowOpens = $0 { true } else { false } } || a.count > 1_000)
  }

  /// The log does not hold the bodies of messages.
  private static var messages: RestorableType {
    RestorableType(RecordedWorld.Message.self) { source in
      RecordedWorld.Message(
        MessageSnapshot(
          id: try source.argument("id"), sender: try source.argument("sender"),
          minute: try source.argument("minute"),
          subject: try source.argument("subject"), body: ""))
    }
  }
}

/// The windows that were opened by hand, before the recording adds them to the store.
private final class OpenedWindows {
  private var last: RecordedWorld.Window?

  struct NotFound: Error {}

  /// Makes the window that the recording adds next.
  func open(from seq: UInt64, of log: URL, _ store: RecordedWorld.Store) throws -> RecordedWorld.Window {
    let reader = try LogReader(path: log.path)
    var found: (definition: ObjectDefinition, seq: UInt64)?
    try reader.forEachEvent(from: seq) { event in
      guard found == nil, case .splice(_, _, _, .array(let inserted), _) = event.body,
        case .object(let definition)? = inserted.first, definition.type == "Window"
      else { return }
      found = (definition, event.seq)
    }
    guard let found, let id = Self.id(found.definition.fields["id"]),
      case .reference(let message)? = found.definition.fields["message"],
      let messageID = Self.id(try reader.state(at: found.seq).objects[message]?.fields["id"]),
      let message = store.folders.lazy.compactMap({ $0.messages[id: messageID] }).first
    else { throw NotFound() }
    let window = RecordedWorld.Window(id: id, message: message)
    last = window
    return window
  }

  private static func id(_ value: Value?) -> UUID? {
    if case .string(let text)? = value { UUID(uuidString: text) } else { nil }
  }

  /// Uses the one that was opened by hand.
  var type: RestorableType {
    RestorableType(RecordedWorld.Window.self) { [self] _ in
      guard let window = last.take() else { throw NotFound() }
      return window
    }
  }
}

/// The recorded app with a mark before each thing that its log does not hold.
private final class MarkedWorld: MailWorld {
  typealias Store = RecordedWorld.Store

  enum Hand {
    case pauseEnds
    case windowOpens(String)
    case windowCloses(String)
  }

  private let world: RecordedWorld
  private let session: Session
  private(set) var hands: [Hand] = []

  init(in session: Session) {
    self.session = session
    world = RecordedWorld(in: session, clock: nil)
  }

  private func mark(_ hand: Hand) {
    session.mark("hand \(hands.count)")
    hands.append(hand)
  }

  func attach(_ store: Store) { world.attach(store) }

  func view(_ name: String, _ body: @escaping (Scope) -> String) -> () -> Void {
    guard name.hasPrefix("Window") else { return world.view(name, body) }
    mark(.windowOpens(name))
    let end = world.view(name, body)
    return { [self] in
      mark(.windowCloses(name))
      end()
    }
  }

  func derived<Value: Equatable>(_ name: String, _ compute: @escaping () -> Value) -> () -> Value {
    world.derived(name, compute)
  }

  func onChange<Value: Equatable>(
    of keyPath: KeyPath<Store, Value>, in store: Store, pace: MailPace, _ action: @escaping (Value) -> Void
  ) {
    world.onChange(of: keyPath, in: store, pace: pace, action)
  }

  func transaction(_ label: String, _ body: () -> Void) { world.transaction(label, body) }

  func frame() { world.frame() }

  func settle(at now: Duration) {
    mark(.pauseEnds)
    world.settle(at: now)
  }
}
