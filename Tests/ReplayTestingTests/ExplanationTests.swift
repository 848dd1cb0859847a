import Foundation
import Projection
import Testing

@testable import ReplayTesting

/// The tree of causes and effects, as failures show it.
@Suite struct ExplanationTests {
  let shop: Shop
  let session: Session

  init() {
    let it = ShopSession()
    (shop, session) = (it.shop, it.session)
  }

  func explain(_ body: () -> Void) -> String { session.measure(body).explanation }

  @Test func aWriteLeadsToWhatItWokeAndToWhatWasWrittenInTurn() {
    #expect(
      explain { shop.lines[id: 42]?.count += 1 } == """
        set shop.lines[id: 42].count  0 -> 1
          counted
            set derived.counted  0 -> 1
              Badge
          Row#42
            Label#42 (same output)
        """)
  }

  @Test func whyAProjectionDidNotRunIsExplained() throws {
    try withRecordedSession { session in
      let shop = ShopSession(session).shop
      shop.visits += 1
      let text = try session.explainWhyNot("List", write: "shop.visits")
      #expect(text.hasPrefix("List, for shop.visits  0 -> 1:"), "\(text)")
      #expect(text.contains("- it does not read shop.visits"), "\(text)")
      #expect(throws: NotExplained.self) { try session.explainWhyNot("Lost") }
      #expect(throws: NotExplained.self) { try session.explainWhyNot("List", write: "shop.nothing") }
    }
    #expect(throws: NotExplained.self) { try session.explainWhyNot("List") }
  }

  @Test func aProjectionThatShouldHaveRunIsExplainedWhereTheTestRecords() throws {
    var issues: [Issue] = []
    var log: URL?
    // A log with a failure in it is kept.
    defer { if let log { try? FileManager.default.removeItem(at: log) } }
    try withRecordedSession { session in
      log = RecordedRun.current?.url
      let shop = ShopSession(session).shop
      issues = failures { session.expectEvaluations(["List": 1]) { shop.visits += 1 } }
    }
    #expect(issues.count == 1)
    #expect(issues.first.map { "\($0)" }?.contains("it does not read shop.visits") == true, "\(issues)")
  }

  @Test func aTransactionAndACallbackSayWhereTheyAreInTheSource() {
    let line = #line
    session.onChange(of: \.isOpen, in: shop) { _, isOpen in shop.visits += isOpen ? 1 : 0 }
    session.projection("Visits") { _ in shop.visits }
    let tree = explain {
      session.transaction("open") {
        shop.filter = "a"
        shop.isOpen = true
      }
    }
    #expect(
      tree == """
        transaction "open"  at ReplayTestingTests/ExplanationTests.swift:\(line + 4)
          set shop.filter  "" -> "a"
            List
          set shop.isOpen  false -> true
            onChange(shop.isOpen)  at ReplayTestingTests/ExplanationTests.swift:\(line + 1)
              set shop.visits  0 -> 1
                Visits
        """)
  }

  @Test func writesOnFirstAppearanceAreShownBelowTheRun() {
    let tree = explain {
      session.projection("New") { scope in scope.onFirstAppear { shop.visits = 3 } }
    }
    #expect(tree.hasPrefix("New  at ReplayTestingTests/ExplanationTests.swift:"))
    #expect(tree.hasSuffix("\n  set shop.visits  0 -> 3"))
  }

  @Test func setsThatChangeNothingAndEditsAndRemovalsAreShownAsWhatTheyAre() {
    shop.filter = "something long enough"
    let tree = explain {
      shop.level = 0
      shop.filter.append("!")
      shop.lines.removeLast()
    }
    #expect(
      tree == """
        set shop.level  0.0, same value
        splice shop.filter  at 21: 0 out, "!" in
          List
        splice shop.lines  at 2: 1 out, [] in
          counted (same output)
          List
          Row#42 (woken, not evaluated)
        """)
  }

  @Test func aRedactedValueIsNotShown() {
    #expect(explain { shop.token = "secret" } == #"set shop.token  {"$redacted":true} -> {"$redacted":true}"#)
  }

  @Test func aDelayedProjectionCountsAsInvalidatedAndNotEvaluated() {
    let waiting = Session(clock: ManualClock())
    let shop = Shop()
    waiting.attach(shop, as: "shop")
    waiting.onChange(of: \.level, in: shop, throttledTo: .seconds(1), name: "Meter") { _, _ in }
    shop.level = 1
    #expect(
      waiting.measure { shop.level = 2 }.explanation
        == "set shop.level  1.0 -> 2.0\n  Meter (woken, not evaluated)")
  }

  @Test func fourAlikeBranchesAreOne() {
    session.projection("Gauge") { _ in shop.level }
    shop.lines.append(contentsOf: [Line(id: 43), Line(id: 44), Line(id: 45)])
    let tree = explain {
      for level in 1...30 { shop.level = Double(level) }
      for id in [2, 42, 43, 44] { shop.lines[id: id]?.id += 100 }
    }
    #expect(
      tree.hasPrefix(
        """
        30 x set shop.level  0.0 -> 30.0
          Gauge x 30
        4 x set shop.lines[*].id
        """))
  }

  @Test func aLongTreeIsCut() {
    let tree = explain {
      for number in 0..<80 {
        number.isMultiple(of: 2) ? session.transaction("\(number)") {} : (shop.visits = number)
      }
    }
    let lines = tree.split(separator: "\n")
    #expect(lines.count < 62)
    let endless = explain {
      for number in 0..<20_000 { shop.visits = number }
    }
    #expect(endless == "10000 x set shop.visits  79 -> 9999\nand 10000 more writes and evaluations")
  }

  /// Repeated sets of scalars take a shortcut through the session.
  @Test func repeatedSetsAreAllShownAndTheStateGoesOn() {
    session.projection("Gauge") { _ in shop.level }
    for level in 1...5 { shop.level = Double(level) }
    #expect(explain { shop.level = 6 } == "set shop.level  5.0 -> 6.0\n  Gauge")
    #expect(explain { shop.level = 7 } == "set shop.level  6.0 -> 7.0\n  Gauge")
    for level in 8...12 { shop.level = Double(level) }
    let back = session.measure {
      session.transaction {
        shop.level = 1
        shop.level = 12
      }
    }
    #expect(back.evaluations("Gauge") == 0)
  }

  @Test func aMeasurementWithinAnotherSeesItsOwnPart() {
    var inner = ""
    let outer = explain {
      shop.visits = 1
      inner = explain { shop.visits = 2 }
    }
    #expect(inner == "set shop.visits  1 -> 2")
    #expect(outer == "set shop.visits  0 -> 1\nset shop.visits  1 -> 2")
  }
}
