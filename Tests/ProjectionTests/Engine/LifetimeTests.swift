import EventLog
import Foundation
import Testing

@testable import Invalidation
@testable import Projection

/// After many lifetimes of objects, projections, derived values and children, a session holds no more than
/// before, including the records of what they read.
@Suite struct LifetimeTests {
  /// The numbers of living objects and nodes in a session.
  private struct Alive: Equatable {
    var objects: Int
    var nodes: Int
    var names: Int
    var links: Int

    init(in session: Session) {
      let engine = session.engine
      objects = engine.coreState.objects.count
      nodes = engine.nodes.count
      names = engine.livingNames.count
      links = engine.graph.linkCount
    }
  }

  /// Enough lifetimes that data which the session releases only now and then, many entries at once, has been
  /// released.
  private static let few = 100
  private static let many = 400

  private let root = Folder(id: 0, name: "root")
  private let session = Session()

  init() {
    session.attach(root, as: "root")
    session.engine.departures.batch = 1
  }

  private func check(_ lifetime: (Int) -> Void) {
    for number in 0..<Self.few { lifetime(number) }
    let before = Alive(in: session)
    for number in Self.few..<(Self.few + Self.many) { lifetime(number) }
    #expect(Alive(in: session) == before)
    #expect(session.diagnostics.isEmpty)
  }

  @Test func ofObjectsWithAReaderEach() {
    check { number in
      let folder = Folder(id: number, name: "new")
      root.children.append(folder)
      let reader = session.projection("Reader") { _ in folder.name + root.children[0].name }
      folder.name = "set"
      reader.cancel()
      root.children.removeAll()
      root.name = "\(number)"
    }
  }

  @Test func ofObjectsThatDieWhileTheirReaderWaits() {
    let reader = session.projection("Reader") { _ in
      root.children.map { $0.name }.joined() + (root.friends["a"]?.name ?? "")
    }
    check { number in
      root.children.append(Folder(id: number, name: "new"))
      root.children[0].name = "set"
      session.transaction {
        root.children[0].name = "set again"
        root.children.removeAll()
        root.friends = ["a": Folder(id: number, name: "friend")]
      }
      root.friends = [:]
    }
    reader.cancel()
  }

  @Test func ofCirclesThatAreBroken() {
    check { number in
      let (a, b) = (Folder(id: number, name: "a"), Folder(id: -number, name: "b"))
      a.children.append(b)
      b.friends["back"] = a
      root.children.append(a)
      let reader = session.projection("Reader") { _ in
        root.children.first?.children.first?.friends["back"]?.name ?? ""
      }
      a.name = "set"
      b.friends = [:]
      root.children.removeAll()
      reader.cancel()
      root.name = "\(number)"
    }
  }

  @Test func ofChildrenThatAreMadeAndEnded() {
    session.projection("Parent") { scope in
      for child in root.children { scope.child("Row", id: child.id) { _ in child.name } }
    }
    check { number in
      root.children.append(Folder(id: number, name: "new"))
      root.children[0].name = "set"
      root.children.removeAll()
    }
  }

  @Test func ofDerivedValues() {
    check { number in
      let derived = session.derived("length") { root.name.utf8.count }
      let reader = session.projection("Reader") { _ in derived.value }
      root.name = String(repeating: "x", count: number % 7)
      reader.cancel()
    }
  }

  @Test func ofReadersThatReadSomethingElseInEachRun() {
    root.children = RecordedArray((1...50).map { Folder(id: $0, name: "row") })
    session.projection("Reader") { _ in root.children[Int(root.name.utf8.count) % 50].name }
    check { number in
      root.name = String(repeating: "x", count: number % 50)
      root.children[number % 50].name = "\(number)"
    }
  }
}

@Recorded private final class Passenger {
  var stops = 0
}

@Recorded private final class Train {
  var seats: RecordedDictionary<Int, Passenger> = [:]
  var notes: RecordedDictionary<String, Int> = [:]
}

/// Objects and keys of dictionaries that come and go, many thousands of each, in a session that records a log
/// with checkpoints. The data that the log's thread keeps is counted in TableEpochTests.
@Suite struct ChurnTests {
  private static let alive = 50

  /// The maximum of each kept number.
  private struct Most {
    var slots = 0
    var links = 0
    var nodes = 0
    var names = 0
    var objects = 0
    /// Paths and names of the writer.
    var entries = 0

    mutating func count(_ session: Session) {
      let engine = session.engine
      let graph = engine.graph
      slots = max(slots, graph.slotCount)
      links = max(links, graph.linkCount)
      objects = max(objects, engine.coreState.objects.count)
      nodes = max(nodes, engine.nodes.count)
      names = max(names, engine.livingNames.count)
      entries = max(entries, engine.tableEntries)
    }

    /// Whether no number is much larger than at another time. Numbers of entries that are released many at
    /// once differ by some hundred. The writer's tables start over when its thread has come to a checkpoint,
    /// so their size depends on how late that thread is; if they kept everything, they would have more than
    /// two entries for each lifetime.
    func isAtMost(_ other: Most) -> Bool {
      let pairs = [
        (slots, other.slots), (links, other.links), (nodes, other.nodes), (names, other.names),
        (objects, other.objects),
      ]
      return pairs.allSatisfy { $0 <= $1 + $1 / 2 + 64 } && entries < 25_000
    }
  }

  private func check(_ count: Int, _ live: (Session, Train) -> (Int) -> Void) throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    var options = LogOptions()
    options.tableBytes = 1 << 16
    options.checkpointEvents = 1 << 13
    options.checkpointBytes = 1 << 16
    let session = try Session(recordingTo: url, options: options)
    let train = Train()
    session.attach(train, as: "train")
    let live = live(session, train)
    var (early, late) = (Most(), Most())
    for number in 0..<count {
      live(number)
      if number % 211 == 0 { if number < count / 5 { early.count(session) } else { late.count(session) } }
    }
    #expect(late.isAtMost(early), "\(late), \(early) before")
    #expect(session.diagnostics.isEmpty)
    try session.close()
    let log = try LogReader(path: url.path)
    #expect(log.isClean)
    #expect(!log.checkpoints.isEmpty)
  }

  @Test func ofFiftyThousandObjectsNothingIsKept() throws {
    try check(50_000) { session, train in
      var readers: [Int: ProjectionHandle] = [:]
      return { number in
        train.seats[number] = Passenger()
        readers[number] = session.projection("Reader#\(number)") { _ in train.seats[number]?.stops }
        train.seats[number]?.stops = number
        readers.removeValue(forKey: number - Self.alive)?.cancel()
        if number >= Self.alive { train.seats[number - Self.alive] = nil }
      }
    }
  }

  @Test func ofFiftyThousandKeysNothingIsKept() throws {
    try check(50_000) { session, train in
      session.projection("Reader") { _ in (train.notes.count, train.notes["key 7"]) }
      return { number in
        train.notes["key \(number)"] = number
        if number >= Self.alive { train.notes["key \(number - Self.alive)"] = nil }
      }
    }
  }

  @Test func anObjectThatHasLostItsPlaceIsSetByItsNumber() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    let (train, passenger, other) = (Train(), Passenger(), Passenger())
    session.attach(train, as: "train")
    train.seats[1] = passenger
    train.seats[2] = other
    (passenger.stops, other.stops) = (1, 1)
    train.seats[1] = nil
    (passenger.stops, other.stops) = (2, 2)
    (passenger.stops, other.stops) = (3, 3)
    train.seats[5] = passenger
    (passenger.stops, other.stops) = (4, 4)
    try session.close()
    var lines: [String] = []
    try LogReader(path: url.path).forEachEvent { event in
      if case .set(let path, .int(let value), _) = event.body { lines.append("\(path) = \(value)") }
    }
    #expect(
      lines == [
        "train.seats[\"1\"].stops = 1", "train.seats[\"2\"].stops = 1", "#2.stops = 2",
        "train.seats[\"2\"].stops = 2", "#2.stops = 3", "train.seats[\"2\"].stops = 3",
        "train.seats[\"5\"].stops = 4", "train.seats[\"2\"].stops = 4",
      ])
  }
}
