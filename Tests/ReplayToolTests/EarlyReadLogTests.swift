import EventLog
import Foundation
import LogGenerator
import Projection
import Testing

@testable import ReplayTool

/// Logs of sessions in which objects were read before they were attached agree with themselves.
@Suite struct EarlyReadLogTests {
  @Recorded final class Leaf: Equatable {
    var a = 1
    var next: Leaf?
    static func == (a: Leaf, b: Leaf) -> Bool { true }
  }

  @Recorded final class Tree {
    var count = 0
    var leaf: Leaf?
    var equal = Leaf()
    var leaves: RecordedArray<Leaf> = []
  }

  private let workspace: Workspace
  private let tree = Tree()

  init() throws { workspace = try Workspace() }

  /// Records what the body does and checks the log.
  private func record(_ delivery: Delivery = .immediate, _ body: (Session) -> Void) throws -> String {
    let log = workspace.file("\(UUID().uuidString).evlog")
    let session = try Session(recordingTo: URL(filePath: log), delivery: delivery)
    session.attach(tree, as: "tree")
    body(session)
    #expect(session.diagnostics == [])
    try session.close()
    let verified = ToolRun("verify", log)
    #expect(verified.status == .done, "\(verified.output)\(verified.errors)")
    return log
  }

  private func watch(_ leaf: Leaf, in session: Session) {
    let d = session.derived("d") { leaf.a + tree.count }
    session.projection("P") { _ in d.value }
    session.projection("Parent") { $0.child("Child", input: 1) { _ in leaf.a } }
    session.projection("Whole", tracking: .object) { _ in leaf.a }
    session.onChange(of: \.a, in: leaf) { _, new in tree.count += new }
    session.onReceive(of: \.a, in: leaf) { _ in tree.count += 1 }
  }

  @Test(arguments: [Delivery.immediate, .manual])
  func whateverReadAnObjectBeforeHasAReasonToRun(delivery: Delivery) throws {
    let ways: [(Leaf, Session) -> Void] = [
      { $1.attach($0, as: "leaf") },
      { leaf, _ in tree.leaf = leaf },
      { leaf, _ in tree.leaves.append(leaf) },
      { leaf, _ in
        tree.leaf = (0..<40).reduce(leaf) { next, _ in
          let outer = Leaf()
          outer.next = next
          return outer
        }
      },
      { leaf, session in
        session.transaction {
          tree.count += 1
          tree.leaf = leaf
          leaf.a += 1
        }
      },
    ]
    for attach in ways {
      _ = try record(delivery) { session in
        let leaf = Leaf()
        watch(leaf, in: session)
        leaf.a = 2
        attach(leaf, session)
        leaf.a = 3
        tree.count += 1
      }
    }
  }

  @Test func whoRunsForAnObjectThatTheAppCallsEqualHasAReasonToo() throws {
    _ = try record { session in
      let leaf = Leaf()
      watch(leaf, in: session)
      leaf.a = 2
      tree.equal = leaf
      leaf.a = 3
      let other = Leaf()
      watch(other, in: session)
      session.transaction { tree.equal = other }
      other.a = 3
    }
  }

  @Test func whyTellsWhatAttachedTheObject() throws {
    let log = try record { session in
      let leaf = Leaf()
      session.projection("P") { _ in leaf.a }
      leaf.a = 2
      session.attach(leaf, as: "leaf")
    }
    let why = ToolRun("why", log, "P")
    #expect(why.output.contains("read for the first time: leaf.a"), "\(why.output)\(why.errors)")
    #expect(why.output.contains("<- set leaf  nothing -> "))
  }
}
