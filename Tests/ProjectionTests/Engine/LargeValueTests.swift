import EventLog
import Foundation
import Invalidation
import LogGenerator
import Testing

@testable import Projection

/// Sessions whose values do not fit an event: the log has all else, and agrees with the session.
@Suite struct LargeValueTests {
  struct Part: Identifiable, Equatable {
    var id: Int
    var title = "part"
    var data = Data()
  }

  struct Word: Identifiable, Equatable {
    var id: String
    var count = 0
  }

  @Recorded final class Node {
    var name = "node"
    var count = 0
    var blob = Data()
    var text = ""
    var numbers: [Int] = []
    var tags: [String: String] = [:]
    var table: RecordedDictionary<String, Int> = [:]
    var words: RecordedArray<Word> = []
    var parts: RecordedArray<Part> = []
    var child: Node?
    var children: RecordedArray<Node> = []
    weak var parent: Node?
  }

  /// Over what an event can hold.
  private static let tooLarge = 16 << 20
  private let log = FileManager.default.temporaryDirectory.appending(path: "large-\(UUID().uuidString).evlog")

  /// Records what the body does, and returns the state that the log leads to. Checks that it is the session's
  /// own, and that the log agrees with itself.
  private func record(_ body: (Session) throws -> Void) throws -> (state: State, diagnostics: [String]) {
    defer { try? FileManager.default.removeItem(at: log) }
    let session = try Session(recordingTo: log)
    try body(session)
    let live = session.engine.coreState
    try session.close()
    let reader = try LogReader(path: log.path)
    var timeline = Timeline()
    var (derived, recorded): ([[String]], [[String]]) = ([], [])
    try reader.forEachEvent { event in
      if case .invalidate(let name, let causes) = event.body {
        recorded.append([name, "\(event.cause ?? 0)", "\(causes)"])
      }
      derived += try timeline.apply(event).map { [$0.projection, "\($0.seq)", "\($0.causes)"] }
    }
    #expect(recorded == derived)
    let state = timeline.state
    #expect(Set(state.objects.keys) == Set(live.objects.keys))
    for id in live.objects.keys {
      #expect(state.objects[id]?.type == live.objects[id]?.type, "\(id)")
      #expect(state.objects[id]?.fields == live.objects[id]?.fields, "\(id)")
    }
    #expect(try reader.checkCheckpoints().findings.isEmpty)
    return (state, session.diagnostics.map(\.message))
  }

  @Test func anObjectWithTwoPartsThatFillAnEventEachLosesOne() throws {
    let node = Node()
    node.blob = Data(count: 9 << 20)
    node.text = String(repeating: "x", count: 10 << 20)
    let (state, diagnostics) = try record { session in
      session.attach(node, as: "node")
      node.name = "after"
    }
    let root = try Path(parsing: "node")
    #expect(state.value(at: root.appending(.property("name"))) == "after")
    #expect(state.value(at: root.appending(.property("text")))?.isTooLarge == true)
    #expect(state.value(at: root.appending(.property("blob"))) == .bytes(Array(repeating: 0, count: 9 << 20)))
    #expect(diagnostics.map { $0.prefix(10) } == ["node.text "])
  }

  /// Each object has the room of an event, if they do not fit one together.
  @Test func objectsThatDoNotFitOneEventGetEventsOfTheirOwn() throws {
    let node = Node()
    node.children = RecordedArray(
      (0..<4).map { _ in
        let child = Node()
        child.blob = Data(count: 9 << 20)
        child.parent = node
        return child
      })
    let (state, diagnostics) = try record { session in
      session.projection("Blobs") { _ in node.children.reduce(0) { $0 + $1.blob.count } }
      session.attach(node, as: "node")
      for child in node.children { child.blob = Data() }
      node.children[1].blob = Data(count: 10 << 20)
    }
    #expect(diagnostics == [])
    let blob = try state.value(at: Path(parsing: "node.children[1].blob"))
    #expect(blob == .bytes(Array(repeating: 0, count: 10 << 20)))
    #expect(try state.value(at: Path(parsing: "node.children[2].parent")) != nil)
  }

  @Test func everySetOfTooMuchIsRecordedAndReportedOnce() throws {
    let node = Node()
    var sizes: [Int] = []
    var events = 0
    let (_, diagnostics) = try record { session in
      session.attach(node, as: "node")
      session.projection("Size") { _ in sizes.append(node.blob.count) }
      for more in [0, 1, 1, 2] { node.blob = Data(count: Self.tooLarge + more) }
      events = Int(session.engine.withLock { $0.recorder.lastSeq })
    }
    #expect(sizes == [0] + [0, 1, 2].map { Self.tooLarge + $0 })
    #expect(diagnostics.count == 1 && events > 4)
  }

  /// A reader of a part that is not in the log depends on all of the value.
  @Test func readersOfPartsThatAreLeftOutStayUpToDate() throws {
    let node = Node()
    node.parts = RecordedArray((0..<160_000).map { Part(id: $0) })
    var (titles, counts): ([String], [Int]) = ([], [])
    let (state, diagnostics) = try record { session in
      session.attach(node, as: "node")
      session.projection("Title") { _ in titles.append(node.parts[3].title) }
      session.projection("Count") { _ in counts.append(node.parts.count) }
      node.parts[3].title = "three"
      node.parts.remove(at: 0)
      session.transaction {
        node.parts[3].title = "four"
        node.parts.append(Part(id: -1))
      }
      node.parts[3].title = "four"
      node.parts = RecordedArray([1, 2, 3, 4].map { Part(id: $0) })
      node.parts[3].title = "last"
    }
    #expect(titles.last == "last" && titles.contains("three") && titles.contains("four"))
    #expect(counts.last == 4 && counts.contains(159_999))
    #expect(diagnostics.map { $0.prefix(11) } == ["node.parts "])
    #expect(try state.value(at: Path(parsing: "node.parts[3].title")) == "last")
  }

  @Test func aCollectionThatHasBecomeSmallEnoughIsRecordedAgain() throws {
    let node = Node()
    node.parts = RecordedArray((0..<160_000).map { Part(id: $0) })
    let (state, _) = try record { session in
      session.attach(node, as: "node")
      node.parts.removeLast(159_998)
      node.parts[1].title = "one"
    }
    #expect(try state.value(at: Path(parsing: "node.parts[1].title")) == "one")
    #expect(try state.value(at: Path(parsing: "node.parts[#count]")) == 2)
  }

  @Test func aProjectionMayReadAnyNumberOfElements() throws {
    let node = Node()
    var sum = 0
    let (_, diagnostics) = try record { session in
      session.attach(node, as: "node")
      for start in [0, 70_000] {
        node.parts.append(contentsOf: (start..<(start + 70_000)).map { Part(id: $0) })
      }
      session.projection("All") { _ in
        sum = node.parts.indices.reduce(0) { $0 + node.parts[$1].title.count + node.parts[$1].data.count }
      }
      node.parts[139_999].title = "longer"
      node.parts.removeAll()
      node.parts.append(Part(id: 1))
    }
    #expect(sum == 4 && diagnostics == [])
  }

  /// A log has a limit on names, which the keys and ids of an app may exceed.
  @Test func namesMayBeOfAnyLength() throws {
    let node = Node()
    let (long, other) = (String(repeating: "k", count: 100_000), String(repeating: "k", count: 100_001))
    var shown: [String] = []
    let (state, diagnostics) = try record { session in
      session.attach(node, as: "node")
      session.projection(long) { _ in
        let word = node.words[id: long]?.count ?? -1
        shown.append(
          "\(node.tags[long] ?? "") \(node.table[long] ?? 0) \(word) \(node.words.first?.count ?? -1)")
      }
      session.mark(long)
      node.tags[long] = "a"
      node.tags[other] = "b"
      node.tags[long] = "c"
      session.transaction(long) {
        node.table[long] = 1
        node.table[other] = 2
      }
      node.table[long] = 3
      node.words = [Word(id: long), Word(id: other)]
      node.words[0].count = 4
      node.words[id: other]?.count = 5
      node.table[other] = nil
      node.count = 6
    }
    #expect(shown.last == "c 3 4 4" && shown.contains("c 1 -1 -1") && diagnostics == [])
    let root = try Path(parsing: "node")
    #expect(state.value(at: root.appending(.property("count"))) == 6)
    guard case .map(let tags)? = state.value(at: root.appending(.property("tags"))),
      case .map(let table)? = state.value(at: root.appending(.property("table"))),
      case .array(let words)? = state.value(at: root.appending(.property("words")))
    else { return #expect(Bool(false)) }
    #expect(Array(tags.values) == ["c", "b"] && Array(table.values) == [3])
    #expect(words == [.map(["id": .string(long), "count": 4]), .map(["id": .string(other), "count": 5])])
  }

  @Test func aTransactionMayHaveAnyNumberOfWrites() throws {
    let node = Node()
    var runs = 0
    let (_, diagnostics) = try record { session in
      session.attach(node, as: "node")
      session.projection("Count") { _ in runs += 1 + node.count * 0 }
      session.transaction { for count in 1...150_000 { node.count = count } }
    }
    #expect(runs == 2 && diagnostics == [])
  }

  // MARK: Bytes

  struct Holder: Equatable {
    var data: Data
    var maybe: Data?
    var several: [Data]
  }

  @Recorded final class Bytes {
    var data = Data([1, 2])
    var maybe: Data? = Data([3])
    var several = [Data([4]), Data([5, 6])]
    var byName = ["a": Data([7])]
    var holder = Holder(data: Data([8]), maybe: nil, several: [Data([9])])
    var slice = Data([0, 1, 2, 3])[1..<3]
  }

  @Test func dataIsRecordedAsBytes() throws {
    let bytes = Bytes()
    let (state, _) = try record { session in
      session.attach(bytes, as: "b")
      bytes.holder.maybe = Data([10])
      bytes.several.append(Data([11]))
    }
    func value(_ path: String) throws -> Value? { try state.value(at: Path(parsing: path)) }
    #expect(try value("b.data") == .bytes([1, 2]))
    #expect(try value("b.maybe") == .bytes([3]))
    #expect(try value("b.several") == .array([.bytes([4]), .bytes([5, 6]), .bytes([11])]))
    #expect(try value("b.byName") == .map(["a": .bytes([7])]))
    #expect(try value("b.holder.data") == .bytes([8]))
    #expect(try value("b.holder.maybe") == .bytes([10]))
    #expect(try value("b.holder.several") == .array([.bytes([9])]))
    #expect(try value("b.slice") == .bytes([1, 2]))
  }

  // MARK: Any program

  @Test(arguments: 1...8) func randomGraphsWithLargePartsKeepAllElse(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    func size() -> Int { pick(4) == 0 ? (1 << 20) + pick(20 << 20) : pick(20) }
    func count() -> Int { pick(4) == 0 ? 200_000 + pick(900_000) : pick(20) }
    var nodes: [Node] = []
    func make(_ depth: Int) -> Node {
      let node = Node()
      node.name = "node \(nodes.count)"
      nodes.append(node)
      if pick(2) == 0 { node.blob = Data(count: size()) }
      if pick(4) == 0 { node.text = String(repeating: "t", count: size()) }
      if pick(6) == 0 { node.numbers = Array(0..<count()) }
      if pick(4) == 0 {
        node.parts = RecordedArray((0..<pick(4)).map { Part(id: $0, data: Data(count: size())) })
      }
      if depth < 3, pick(2) == 0 { node.child = make(depth + 1) }
      if depth < 3 { node.children = RecordedArray((0..<pick(3)).map { _ in make(depth + 1) }) }
      node.child?.parent = node
      return node
    }
    let root = make(0)
    var shown: [String: String] = [:]
    var ids: [ObjectIdentifier: ObjectID] = [:]
    func summary(_ node: Node) -> String {
      let part = node.parts.last.map { "\($0.title) \($0.data.count)" } ?? "none"
      return "\(node.name) \(node.blob.count) \(node.text.utf8.count) \(node.numbers.count) \(part)"
    }
    let (state, diagnostics) = try record { session in
      session.attach(root, as: "root")
      session.projection("Root") { _ in shown["Root"] = summary(root) }
      session.projection("Child") { _ in shown["Child"] = root.child.map(summary) ?? "" }
      session.projection("Names") { _ in shown["Names"] = root.children.map(\.name).joined() }
      for step in 0..<25 {
        let node = nodes[pick(nodes.count)]
        let change: () -> Void = {
          switch pick(12) {
          case 0: node.blob = Data(count: size())
          case 1: node.text = String(repeating: "u", count: size())
          case 2: node.text += String(repeating: "v", count: size())
          case 3: node.numbers = Array(0..<count())
          case 4: node.numbers.append(contentsOf: 0..<count())
          case 5: node.parts.append(Part(id: step, data: Data(count: size())))
          case 6 where !node.parts.isEmpty: node.parts[0].data = Data(count: size())
          case 7: if !node.parts.isEmpty { node.parts.removeLast() }
          case 8: node.child = make(2)
          case 9: node.children.append(make(2))
          case 10: node.tags["k\(pick(3))"] = String(repeating: "w", count: size())
          default: node.count += 1
          }
          node.name += "."
        }
        if pick(3) == 0 { session.transaction { change() } } else { change() }
      }
      for node in nodes { ids[ObjectIdentifier(node)] = node._$recorded.attachment?.id }
    }
    #expect(shown["Root"] == summary(root), "seed \(seed)")
    #expect(shown["Child"] == root.child.map(summary) ?? "", "seed \(seed)")
    #expect(shown["Names"] == root.children.map(\.name).joined(), "seed \(seed)")
    #expect(
      diagnostics.allSatisfy { $0.contains(" is too large for an event of the log") },
      "seed \(seed): \(diagnostics)")
    var seen: [Node] = []
    var waiting = [root]
    while let node = waiting.popLast() {
      if seen.contains(where: { $0 === node }) { continue }
      seen.append(node)
      waiting += node.children + [node.child].compactMap(\.self)
      let object = try #require(ids[ObjectIdentifier(node)].flatMap { state.objects[$0] }, "seed \(seed)")
      #expect(object.type.hasSuffix("Node"), "seed \(seed): \(object.type)")
      #expect(
        object.fields["name"] == .string(node.name) && object.fields["count"] == .int(Int64(node.count)))
      if node.blob.count < 100_000 {
        #expect(object.fields["blob"] == .bytes([UInt8](node.blob)), "seed \(seed)")
      }
      if node.numbers.count < 1000 {
        #expect(object.fields["numbers"] == .array(node.numbers.map { .int(Int64($0)) }), "seed \(seed)")
      }
      if node.text.utf8.count < 100_000 {
        #expect(object.fields["text"] == .string(node.text), "seed \(seed)")
      }
    }
  }
}
