import EventLog
import Foundation
import LogGenerator
import Projection
import ReplayAnalysis
import Testing
import TextHost

/// The host of the article on hosts draws the same with a session and without one, and the log knows what it did.
@Suite struct TextHostTests {
  @Recorded final class Shop {
    var title = "Fruit"
    var prices = [3, 12]
    var changes = 0
    var shown = 0
  }

  private struct Screen: View {
    let shop: Shop
    static func == (a: Screen, b: Screen) -> Bool { a.shop === b.shop }

    func body(_ context: Context) -> Body {
      .column([Header(shop: shop), List(shop: shop, count: shop.prices.count)])
    }
  }

  private struct Header: View {
    let shop: Shop
    static func == (a: Header, b: Header) -> Bool { a.shop === b.shop }

    func body(_ context: Context) -> Body {
      let shop = shop
      context.onAppear { shop.shown += 1 }
      return .text("\(shop.title) \(shop.changes)")
    }
  }

  private struct List: View {
    let shop: Shop
    let count: Int
    static func == (a: List, b: List) -> Bool { a.shop === b.shop && a.count == b.count }

    func body(_ context: Context) -> Body { .box((0..<count).map { Price(shop: shop, key: $0) }) }
  }

  private struct Price: View {
    let shop: Shop
    let key: Int?
    static func == (a: Price, b: Price) -> Bool { a.shop === b.shop && a.key == b.key }

    func body(_ context: Context) -> Body {
      let (shop, price) = (shop, shop.prices[key ?? 0])
      let most = context.state("most", 0)
      context.onChange(of: price) {
        shop.changes += 1
        most.value = max(most.value, price)
      }
      return .text("\(price)\(most.value > 0 ? " (\(most.value))" : "")")
    }
  }

  /// What a screen shows frame by frame, while some things are changed.
  private func frames(_ session: Session?) -> [[String]] {
    let shop = Shop()
    session?.attach(shop, as: "shop")
    let host = TextHost(Screen(shop: shop), session)
    let steps: [(Shop) -> Void] = [
      { _ in }, { _ in }, { $0.prices[0] = 20 }, { _ in }, { $0.title = "Sweets" }, { $0.prices.append(100) },
      { $0.prices.removeLast() }, { _ in }, { $0.prices.append(7) }, { $0.prices = [] },
    ]
    return steps.map { step in
      step(shop)
      return host.frame()
    }
  }

  @Test func framesAreTheSameWithAndWithoutASession() throws {
    let plain = frames(nil)
    #expect(plain.first == ["Fruit 0", "+--+", "|3 |", "|12|", "+--+"])
    #expect(plain[3] == ["Fruit 1", "+-------+", "|20 (20)|", "|12     |", "+-------+"])
    let workspace = try Workspace()
    let log = workspace.file("host.evlog")
    let session = try Session(recordingTo: URL(filePath: log))
    #expect(frames(session) == plain)
    #expect(session.diagnostics.isEmpty)
    try session.close()
    let source = try LogSource(path: log, isScanned: true)
    #expect(try Verification(source).isSound)
    // Views of a type at one place are one view, and those of two types are two. What is gone has no state.
    var (state, events): (State, [Event]) = (State(), [])
    try source.reader.forEachEvent { events.append($0) }
    for event in events where event.body.writtenPath != nil { _ = try state.apply(event.body) }
    #expect(Set(state.roots.keys) == ["shop"])
  }

  @Test func theHostInTheArticleIsTheOneInTheExamples() throws {
    var top = URL(filePath: #filePath)
    for _ in 0..<3 { top.deleteLastPathComponent() }
    let host = try String(
      contentsOf: top.appending(path: "Examples/TextHost/TextHost.swift"), encoding: .utf8)
    let article = top.appending(path: "Sources/Projection/Projection.docc/Hosts.md")
    #expect(try String(contentsOf: article, encoding: .utf8).contains("```swift\n\(host)```\n"))
  }

  // MARK: Random hosts

  /// Random trees of views with state, boxes that measure them, and callbacks. A model that knows only values says which views
  /// are out of date, why each runs and what it draws; the session's log must agree, and so must the host's own counter.
  @Test(arguments: 0..<12) func aModelOfTheViewsKnowsWhatRunsAndWhy(_ number: UInt64) throws {
    let seed = testSeed() &+ number
    let play = try HostPlay(seed: seed)
    for fault in play.faults { Issue.record("seed \(seed): \(fault)") }
  }
}
