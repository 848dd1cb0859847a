import Testing

@testable import Invalidation
@testable import Projection

/// What a session holds after many lifetimes is what it held before: of objects, of projections and derived values, of
/// children, and of what they read.
@Suite struct LifetimeTests {
  /// What is alive in a session.
  private struct Alive: Equatable {
    var objects: Int
    var nodes: Int
    var names: Int
    var links: Int

    init(in session: Session) {
      let engine = session.engine
      objects = engine.core.state.objects.count
      nodes = engine.nodes.count
      names = engine.livingNames.count
      links = engine.core.graph.linkCount
    }
  }

  /// Enough lifetimes that what is forgotten at times, many at once, has been forgotten.
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
