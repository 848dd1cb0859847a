import EventLog
import LogGenerator
import Projection
import Testing

@testable import ReplayAnalysis

/// Views that follow what nobody holds, or nothing; writes in bodies that a host runs; objects that are released.
@Suite struct UnheldTests {
  @Recorded final class Item {
    let id: Int
    var title = ""
    init(id: Int) { self.id = id }
  }

  @Recorded final class Shop {
    var items: RecordedArray<Item> = []
    var visits = 0
    var other = 0
    var last: Item?
  }

  private func lint(_ program: (Session, Shop) -> Void) throws -> (
    found: [LintReport.Finding], log: String, Workspace
  ) {
    let workspace = try Workspace()
    let recorded = try RecordedProgram(in: workspace, "shop") { session in
      let shop = Shop()
      shop.items = RecordedArray((0..<3).map { Item(id: $0) })
      session.attach(shop, as: "shop")
      program(session, shop)
    }
    return (try LintReport.of(recorded.log).findings, recorded.log, workspace)
  }

  @Test func aViewOfAnObjectThatWasRemovedIsFound() throws {
    let kept = try lint { session, shop in
      let item = shop.items[1]
      session.projection("Detail") { item.title }
      session.projection("List") { shop.items.map(\.title) }
      item.title = "a"
      shop.items.remove(at: 1)
      shop.visits += 1
      shop.visits += 1
    }.found.filter { $0.rule == .unheld }
    #expect(kept.map(\.projection) == ["Detail"] && kept.first?.isNote == false)
    #expect(
      kept.first?.message.contains(".title (Item), and nothing that is recorded leads there any more") == true
    )
    let followed = try lint { session, shop in
      session.projection("Detail") { shop.items.last?.title }
      session.projection("List") { shop.items.map(\.title) }
      shop.items.remove(at: 1)
      shop.visits += 1
      shop.visits += 1
    }.found
    #expect(!followed.contains { $0.rule == .unheld })
  }

  @Test func aViewThatReadsNothingIsANote() throws {
    func legend(_ reads: Bool) throws -> [LintReport.Finding] {
      try lint { session, shop in
        session.projection("Legend") { reads ? "\(shop.other)" : "three items" }
        session.projection("Visits") { shop.visits }
        session.projection("Screen") { screen in screen.child("Title") { "Shop" } }
        for _ in 0..<120 { shop.visits += 1 }
      }.found.filter { $0.rule == .readsNothing }
    }
    let found = try legend(false)
    #expect(found.map(\.isNote) == [true])
    #expect(found.first?.message.hasPrefix("Legend read nothing that is recorded and ran once") == true)
    #expect(try legend(true).isEmpty)
  }

  @Test func whatABodyWritesWithoutACauseIsCounted() throws {
    let (found, log, workspace) = try lint { session, shop in
      let view = session.hosted("View")
      for frame in 0..<200 {
        if frame % 4 == 0 { shop.visits += 1 }
        view.run {
          shop.other = 7
          return shop.visits
        }
        session.endHostTurn()
      }
    }
    // Each run writes once.
    var runs = 0
    try LogReader(path: log).forEachEvent { if $0.body.kind == .evaluate { runs += 1 } }
    #expect(runs == 200)
    // What is written in a first run is not told from what follows a first appearance.
    let writes = found.filter { $0.rule == .writeInBody }
    #expect(writes.map(\.message) == ["View wrote shop.other while it ran, 199 times."])
    #expect(try Verification(LogSource(path: log, isScanned: true)).isSound)
    withExtendedLifetime(workspace) {}
  }

  @Test func objectsThatAreReleasedAreNoWrites() throws {
    let (found, log, workspace) = try lint { session, shop in
      session.projection("Visits") { shop.visits }
      for id in 0..<1_000 { shop.last = Item(id: id) }
      shop.visits += 1
    }
    var removed = 0
    try LogReader(path: log).forEachEvent { if $0.body.kind == .remove { removed += 1 } }
    #expect(removed > 100)
    let unread = found.filter { $0.rule == .unread }.map(\.message)
    #expect(
      unread == [
        "No projection reads shop.last (1,000 changes), so each of these writes is recorded for nobody."
      ])
    withExtendedLifetime(workspace) {}
  }
}
