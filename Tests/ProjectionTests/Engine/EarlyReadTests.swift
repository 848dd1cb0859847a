import EventLog
import Foundation
import Synchronization
import Testing

@testable import Projection

@Recorded final class Leaf {
  var a = 1
  var rows: RecordedArray<Int> = [1, 2]
  @Redacted var secret = "hunter2"
  var next: Leaf?
}

@Recorded final class Twig: Equatable {
  var a = 1
  static func == (a: Twig, b: Twig) -> Bool { true }
}

@Recorded final class Tree {
  var leaf: Leaf?
  var leaves: RecordedArray<Leaf> = []
  var byName: RecordedDictionary<String, Leaf> = [:]
  var plain: [Leaf] = []
  var twig = Twig()
  @RecordedIgnored var hidden: Leaf?
}

/// Readers of an object that no session records yet depend on it once a session records it.
@Suite struct EarlyReadTests {
  /// The ways to attach an object to a session.
  enum Way: CaseIterable {
    case root, property, recordedArray, recordedDictionary, array, transaction, deep

    func attach(_ leaf: Leaf, to tree: Tree, in session: Session) {
      switch self {
      case .root: session.attach(leaf, as: "leaf")
      case .property: tree.leaf = leaf
      case .recordedArray: tree.leaves.append(leaf)
      case .recordedDictionary: tree.byName["a"] = leaf
      case .array: tree.plain.append(leaf)
      case .transaction:
        session.transaction {
          tree.leaf = leaf
          tree.leaf = nil
          tree.leaf = leaf
        }
      case .deep:
        // Nested so deep in a value that the object gets a separate event.
        tree.leaf = (0..<40).reduce(leaf) { next, _ in
          let outer = Leaf()
          outer.next = next
          return outer
        }
      }
    }
  }

  let session = Session()
  let tree = Tree()
  let leaf = Leaf()

  init() { session.attach(tree, as: "tree") }

  private func attach(_ way: Way) { way.attach(leaf, to: tree, in: session) }

  @Test func aDerivedValueComputedBeforeItsObjectIsAttachedFollowsIt() {
    let d = session.derived("d") { leaf.a }
    #expect(d.value == 1)
    session.attach(leaf, as: "leaf")
    leaf.a = 2
    #expect(d.value == 2)
  }

  @Test(arguments: Way.allCases, Tracking.allCases)
  func readersOfAnObjectDependOnItFromItsAttachmentOn(way: Way, tracking: Tracking) {
    let seen = Journal()
    let unobserved = session.derived("unobserved", tracking: tracking) { leaf.a }
    let observed = session.derived("observed", tracking: tracking) { leaf.a }
    #expect(unobserved.value == 1)
    session.projection("P", tracking: tracking) { _ in seen.append("P \(leaf.a)") }
    session.projection("D", tracking: tracking) { _ in seen.append("D \(observed.value)") }
    session.projection("Parent", tracking: tracking) { parent in
      parent.child("Child", input: 1) { _ in seen.append("child \(leaf.a)") }
    }
    session.onChange(of: \.a, in: leaf) { seen.append("change \($0) to \($1)") }
    session.onReceive(of: \.a, in: leaf) { seen.append("receive \($0)") }
    #expect(seen.lines == ["P 1", "D 1", "child 1"])

    leaf.a = 2
    #expect(seen.lines.count == 3, "nothing tells the session")
    attach(way)
    #expect(
      Set(seen.lines.dropFirst(3)) == ["P 2", "D 2", "child 2", "change 1 to 2"])
    #expect(unobserved.value == 2)

    let seenBefore = seen.lines.count
    leaf.a = 3
    #expect(Set(seen.lines.dropFirst(seenBefore)) == ["P 3", "D 3", "child 3", "change 2 to 3", "receive 3"])
    #expect(unobserved.value == 3)
    #expect(session.diagnostics == [])
    #expect(session.engine.earlyReaders.objectCount == 0 && !session.engine.earlyReaders.haveLate)
  }

  @Test func streamsOfChangesBegunBeforeFollowToo() async {
    let changes = session.changes(of: \.a, in: leaf)
    session.attach(leaf, as: "leaf")
    leaf.a = 2
    var iterator = changes.makeAsyncIterator()
    let first = await iterator.next()
    #expect(first?.old == 1 && first?.new == 2)
  }

  @Test func theLastOfAChainOfObjectsMayComeLater() {
    let seen = Journal()
    let head = Leaf()
    head.next = leaf
    tree.hidden = head
    session.onChange(of: \.hidden?.next?.a, in: tree) { seen.append("change \($1 ?? 0)") }
    session.projection("P") { _ in seen.append("P \(tree.hidden?.next?.a ?? 0)") }
    session.onReceive(of: \.hidden?.next?.a, in: tree) { seen.append("receive \($0 ?? 0)") }
    tree.leaf = leaf
    leaf.a = 2
    #expect(seen.lines == ["P 1", "P 1", "change 2", "P 2", "receive 2"])
    session.attach(head, as: "head")
    let other = Leaf()
    other.a = 5
    head.next = other
    #expect(Set(seen.lines.dropFirst(5)) == ["P 2", "change 5", "P 5", "receive 5"])
  }

  @Test func collectionsOfTheObjectAreFollowedByTheirElementsFromThen() {
    var runs = 0
    session.projection("Second") { _ in
      runs += 1
      return leaf.rows[1]
    }
    attach(.property)
    #expect(runs == 2)
    leaf.rows[0] = 10
    #expect(runs == 2)
    leaf.rows[1] = 20
    #expect(runs == 3)
  }

  @Test func aSetInTheTransactionOfTheAttachmentInvalidatesReaders() {
    var values: [Int] = []
    var received: [Int] = []
    session.onReceive(of: \.a, in: leaf) { received.append($0) }
    let d = session.derived("d") { leaf.a }
    session.projection("P") { _ in values.append(d.value) }
    session.transaction {
      attach(.property)
      leaf.a = 2
      #expect(d.value == 2)
      leaf.a = 3
    }
    #expect(values == [1, 3] && received == [2, 3])
  }

  @Test func changesBeforeTheAttachingInItsTransactionAreNotLost() {
    var values: [Int] = []
    session.projection("P") { _ in values.append(tree.plain.count + leaf.a) }
    session.transaction {
      tree.plain.append(Leaf())
      session.attach(leaf, as: "leaf")
    }
    #expect(values == [1, 2])
  }

  @Test func anObjectThatTheAppCallsEqualToTheOneBeforeIsFollowedToo() {
    let twig = Twig()
    var values: [Int] = []
    session.projection("P") { _ in values.append(twig.a) }
    twig.a = 2
    tree.twig = twig
    #expect(values == [1, 2])
    twig.a = 3
    #expect(values == [1, 2, 3])
  }

  @Test func collectedChangesShowAtTheFlush() {
    let session = Session(delivery: .manual)
    var values: [Int] = []
    session.projection("P") { _ in values.append(leaf.a) }
    session.attach(leaf, as: "leaf")
    leaf.a = 2
    #expect(values == [1])
    session.flush()
    #expect(values == [1, 2])
  }

  @Test func aBodyThatAttachesWhatItHasReadFollowsIt() {
    var values: [Int] = []
    session.projection("P") { _ in
      values.append(leaf.a)
      if tree.hidden == nil {
        tree.hidden = leaf
        session.attach(leaf, as: "leaf")
      }
    }
    #expect(values == [1])
    leaf.a = 2
    #expect(values == [1, 2])
    leaf.a = 3
    #expect(values == [1, 2, 3])
  }

  @Test func aBodyThatChangesWhatItHasReadAndAttachedRunsAgain() {
    var values: [Int] = []
    session.projection("P") { _ in
      values.append(leaf.a)
      session.attach(leaf, as: "leaf")
      if leaf.a == 1 { leaf.a = 2 }
    }
    #expect(values == [1, 2])
  }

  @Test func aRunReadsAgainWhatAnotherThreadAttachesMeanwhile() async {
    let session = session
    nonisolated(unsafe) let leaf = leaf
    let (begun, attached) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let seen = Journal()
    let thread = Thread {
      session.projection("P") { _ in
        seen.append("\(leaf.a)")
        if seen.lines.count > 1 { return }
        begun.signal()
        attached.wait()
      }
      begun.signal()
    }
    thread.start()
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        begun.wait()
        leaf.a = 2
        session.attach(leaf, as: "leaf")
        attached.signal()
        begun.wait()
        continuation.resume()
      }
    }
    #expect(seen.lines == ["1", "2"])
    leaf.a = 3
    #expect(seen.lines == ["1", "2", "3"])
  }

  @Test func earlyReadsAreRemovedWhenTheReaderRunsAgainOrEnds() {
    let engine = session.engine
    let switching = session.projection("P") { _ in tree.plain.isEmpty ? leaf.a : 0 }
    let ended = session.projection("Q") { _ in leaf.a }
    #expect(engine.earlyReaders.objectCount == 1)
    tree.plain = [Leaf()]
    ended.cancel()
    #expect(engine.earlyReaders.objectCount == 0)
    switching.cancel()
    attach(.property)
    #expect(!engine.earlyReaders.haveLate)
  }

  @Test func objectsThatDieUnattachedLeaveNothingBehind() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    let tree = Tree()
    session.attach(tree, as: "tree")
    weak var last: Leaf?
    var kept: Leaf?
    session.projection("P") { _ in
      _ = tree.plain.count
      for _ in 0..<10 {
        let leaf = Leaf()
        last = leaf
        _ = leaf.a
      }
      kept = Leaf()
      return kept?.a
    }
    for _ in 0..<100 { tree.plain = tree.plain + [Leaf()] }
    #expect(last == nil && session.engine.earlyReaders.objectCount == 1)
    weak let kept2 = kept
    kept = nil
    #expect(kept2 == nil, "to be read keeps nothing alive")
    #expect(session.diagnostics == [])
    try session.close()
    var reads = 0
    try LogReader(path: url.path).forEachEvent { event in
      if case .reads = event.body { reads += 1 }
    }
    #expect(reads == 1, "the log has nothing of objects that are not attached")
  }

  @Test func aReadOfAnotherSessionsObjectIsFollowedOnceThatIsClosed() throws {
    let other = Session()
    other.attach(leaf, as: "leaf")
    var values: [Int] = []
    session.projection("P") { _ in values.append(leaf.a) }
    leaf.a = 2
    #expect(values == [1])
    #expect(
      session.diagnostics.map(\.message) == [
        "P reads a Leaf that another session records, and is not invalidated by its changes; "
          + "close that session, then attach it here"
      ])
    try other.close()
    attach(.property)
    leaf.a = 3
    #expect(values == [1, 2, 3] && session.diagnostics == [])
  }

  @Test func anObjectOfAClosedSessionIsLikeOneThatWasNeverAttached() throws {
    let other = Session()
    other.attach(leaf, as: "leaf")
    other.projection("P") { _ in leaf.a }
    try other.close()
    let d = session.derived("d") { leaf.a }
    #expect(d.value == 1)
    attach(.recordedArray)
    leaf.a = 2
    #expect(d.value == 2)
  }

  @Test func readersOfObjectsThatAreNeverAttachedAreReportedOnceForAClass() throws {
    for row in 0..<3 { session.projection("Row#\(row)") { _ in leaf.a + Leaf().a + leaf.rows.count } }
    let d = session.derived("d") { leaf.a }
    #expect(d.value == 1)
    let messages = ["Row", "d"].map {
      "\($0) reads a Leaf that is not attached, and is not invalidated by its changes; "
        + "attach it, or put it into a property of an object that is"
    }
    #expect(session.diagnostics.map(\.message) == messages)
    try session.close()
    #expect(session.diagnostics.map(\.message) == messages)
  }

  @Test func aReaderOfAnObjectThatIsAttachedRightAfterIsNotReported() throws {
    session.projection("P") { _ in leaf.a }
    attach(.property)
    try session.close()
    #expect(session.diagnostics == [])
  }

  @Test func aSecretReadBeforeItsObjectIsAttachedIsNotPublished() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    let d = session.derived("d") { leaf.secret + "!" }
    session.projection("P") { _ in d.value }
    session.attach(leaf, as: "leaf")
    try session.close()
    try LogReader(path: url.path).forEachEvent { event in
      #expect(!event.json(statesSameValue: true).contains("hunter2"))
    }
  }

  @Test func anObjectOfAnotherSessionIsReportedOnceWhereverItIsPut() {
    let other = Session()
    other.attach(leaf, as: "leaf")
    session.projection("P") { _ in leaf.a }
    session.attach(leaf, as: "mine")
    tree.leaf = leaf
    tree.plain = [leaf]
    #expect(
      session.diagnostics.map(\.message) == [
        "a Leaf was not recorded, because another session records it; close that session first"
      ])
  }
}
