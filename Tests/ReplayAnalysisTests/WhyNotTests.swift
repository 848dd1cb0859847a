import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// Why a view did not run for a write: each kind of reason, in logs that have just that.
@Suite struct WhyNotTests {
  let workspace: Workspace

  init() throws { workspace = try Workspace() }

  /// A view that has read the title of the first row and run.
  private static let start = [
    #"{"kind":"set","path":"app","value":{"$object":"App#1","rows":[{"id":1,"title":"a"},{"id":2,"title":"b"}],"n":0}}"#,
    #"{"kind":"projection","projection":"List"}"#,
    #"{"kind":"reads","projection":"List","paths":["app.n"]}"#,
    #"{"kind":"evaluate","projection":"List","duration_ns":10}"#,
    #"{"kind":"projection","projection":"Row#1","parent":"List"}"#,
    #"{"kind":"reads","projection":"Row#1","paths":["app.rows[id: 1].title"]}"#,
    #"{"kind":"evaluate","projection":"Row#1","duration_ns":10}"#,
  ]

  private func ask(
    _ end: [String], _ projection: String = "Row#1", write: String? = nil, at: UInt64? = nil
  ) throws -> WhyNot {
    let path = try workspace.log((Self.start + end).joined(separator: "\n"), "run.evlog")
    return try WhyNot(
      projection, write: try write.map { try PathPattern(parsing: $0) }, at: at.map { .seq($0) },
      in: LogSource(path: path))
  }

  @Test func itDidRun() throws {
    let answer = try ask([
      #"{"kind":"set","path":"app.rows[id: 1].title","value":"c"}"#,
      #"{"kind":"invalidate","projection":"Row#1","causes":[8],"cause":8}"#,
      #"{"kind":"evaluate","projection":"Row#1","duration_ns":10,"cause":8}"#,
    ])
    #expect(answer.write?.seq == 8 && answer.write?.path == "app.rows[id: 1].title")
    #expect(answer.reasons.map(\.kind) == [.ran] && answer.reasons.first?.seq == 10)
  }

  @Test func itIsInvalidatedAndHasNotRun() throws {
    let answer = try ask([
      #"{"kind":"set","path":"app.rows[id: 1].title","value":"c"}"#,
      #"{"kind":"invalidate","projection":"Row#1","causes":[8],"cause":8}"#,
    ])
    #expect(answer.reasons.map(\.kind) == [.waiting] && answer.reasons.first?.seq == 8)
  }

  @Test func aRunOfAnotherOfItsNameIsNotItsRun() throws {
    let end = [
      #"{"kind":"set","path":"app.rows[id: 1].title","value":"c"}"#,
      #"{"kind":"invalidate","projection":"Row#1","causes":[8],"cause":8}"#,
      #"{"kind":"dispose","projection":"Row#1"}"#,
    ]
    let made = #"{"kind":"projection","projection":"Row#1"}"#
    let ran = #"{"kind":"evaluate","projection":"Row#1","duration_ns":10}"#
    let again = try ask(end + [made, ran], at: 8)
    #expect(again.reasons.map(\.kind) == [.waiting])
    #expect(again.reasons.first?.message.contains("it ended at event 10") == true)
    // One that only moves to another parent goes on.
    let moved = try ask(end + [made.replacing("}", with: #","cause":10}"#), ran], at: 8)
    #expect(moved.reasons.map(\.kind) == [.ran])
  }

  @Test func theFlushWasStopped() throws {
    let answer = try ask([
      #"{"kind":"set","path":"app.rows[id: 1].title","value":"c"}"#,
      #"{"kind":"invalidate","projection":"Row#1","causes":[8],"cause":8}"#,
      #"{"kind":"mark","label":"diagnostic: stopped Row#1 after 100 rounds"}"#,
    ])
    #expect(answer.reasons.map(\.kind) == [.stopped, .waiting] && answer.reasons.first?.seq == 10)
  }

  @Test func itReadsTheSameOfAnotherRow() throws {
    let answer = try ask([#"{"kind":"set","path":"app.rows[id: 2].title","value":"c"}"#])
    #expect(answer.reasons.map(\.kind) == [.unread])
    #expect(answer.reasons.first?.nearest == ["app.rows[id: 1].title"])
  }

  @Test func itReadsNothing() throws {
    let answer = try ask(
      [
        #"{"kind":"projection","projection":"Plain"}"#,
        #"{"kind":"evaluate","projection":"Plain","duration_ns":10}"#,
        #"{"kind":"set","path":"app.n","value":1}"#,
      ], "Plain")
    #expect(answer.reasons.first?.kind == .unread && answer.reasons.first?.nearest == nil)
  }

  @Test func theWriteWasEqualByTheComparisonOfTheProperty() throws {
    let answer = try ask([
      #"{"kind":"set","path":"app.rows[id: 1]","value":{"id":1,"title":"c"},"same_value":true}"#
    ])
    #expect(answer.reasons.map(\.kind) == [.equal])
    #expect(answer.reasons.first?.message.hasSuffix("they differ in title") == true)
    let plain = try ask([#"{"kind":"set","path":"app.rows[id: 1].title","value":"a"}"#])
    #expect(plain.reasons.map(\.message) == ["the write set the value that was there"])
  }

  @Test func theTransactionTookItBack() throws {
    let answer = try ask(
      [
        #"{"kind":"begin"}"#,
        #"{"kind":"set","path":"app.rows[id: 1].title","value":"c"}"#,
        #"{"kind":"set","path":"app.rows[id: 1].title","value":"a"}"#,
        #"{"kind":"end"}"#,
      ], at: 9)
    #expect(answer.reasons.map(\.kind) == [.undone] && answer.reasons.first?.seq == 11)
  }

  @Test func theTransactionIsOpen() throws {
    let answer = try ask([
      #"{"kind":"begin"}"#, #"{"kind":"set","path":"app.rows[id: 1].title","value":"c"}"#,
    ])
    #expect(answer.reasons.map(\.kind) == [.open])
  }

  @Test func aDerivedValueBetweenCameOutTheSame() throws {
    let answer = try ask([
      #"{"kind":"projection","projection":"total"}"#,
      #"{"kind":"reads","projection":"total","paths":["app.n"]}"#,
      #"{"kind":"set","path":"derived","value":{"$object":"Derived#9","total":0}}"#,
      #"{"kind":"evaluate","projection":"total","duration_ns":10,"changed":true}"#,
      #"{"kind":"reads","projection":"Row#1","paths":["derived.total"]}"#,
      #"{"kind":"set","path":"app.n","value":1}"#,
      #"{"kind":"invalidate","projection":"List","causes":[13],"cause":13}"#,
      #"{"kind":"invalidate","projection":"total","causes":[13],"cause":13}"#,
      #"{"kind":"evaluate","projection":"total","duration_ns":10,"changed":false,"cause":13}"#,
    ])
    #expect(answer.reasons.map(\.kind) == [.derivedSame])
    #expect(answer.reasons.first?.seq == 16)
  }

  @Test func itHadEndedOrHadNotBegun() throws {
    let ended = try ask([
      #"{"kind":"dispose","projection":"Row#1"}"#, #"{"kind":"set","path":"app.n","value":1}"#,
    ])
    #expect(ended.reasons.map(\.kind) == [.ended] && ended.reasons.first?.seq == 8)
    let begun = try ask([#"{"kind":"set","path":"app.n","value":1}"#], at: 1)
    #expect(begun.reasons.map(\.kind) == [.notBegun] && begun.reasons.first?.seq == 5)
  }

  /// The parent is invalidated by a write that the row does not read, and runs.
  private static let listRan = [
    #"{"kind":"set","path":"app.n","value":1}"#,
    #"{"kind":"invalidate","projection":"List","causes":[8],"cause":8}"#,
    #"{"kind":"evaluate","projection":"List","duration_ns":10,"cause":8}"#,
  ]

  @Test func itsParentEndedIt() throws {
    let end = Self.listRan + [#"{"kind":"dispose","projection":"Row#1"}"#]
    let answer = try ask(end)
    #expect(answer.reasons.first?.kind == .ended && answer.reasons.first?.seq == 11)
    #expect(answer.reasons.first?.message == "List ended it at event 11")
    // Also of a time after its end, and of one at which it was not made yet.
    let later = try ask(end + [#"{"kind":"set","path":"app.n","value":2}"#])
    #expect(later.reasons.map(\.message) == ["List ended it at event 11"])
    #expect(try ask(end, at: 11).reasons.first?.message == "List ended it at event 11")
    #expect(try ask(end, at: 1).reasons.map(\.message) == ["List made it at event 5, after the write"])
  }

  @Test func theParentsParentEndedIt() throws {
    let answer = try ask(
      [
        #"{"kind":"projection","projection":"Text","parent":"Row#1"}"#,
        #"{"kind":"evaluate","projection":"Text","duration_ns":10}"#,
        #"{"kind":"set","path":"app.n","value":1}"#,
        #"{"kind":"invalidate","projection":"List","causes":[10],"cause":10}"#,
        #"{"kind":"evaluate","projection":"List","duration_ns":10,"cause":10}"#,
        #"{"kind":"dispose","projection":"Text"}"#, #"{"kind":"dispose","projection":"Row#1"}"#,
        #"{"kind":"set","path":"app.n","value":2}"#,
      ], "Text")
    #expect(answer.reasons.map(\.message) == ["List ended it at event 13"])
  }

  @Test func itsParentSkippedItForAnEqualInput() throws {
    // What a session's projection makes within itself runs with it unless its input is equal.
    #expect(try ask(Self.listRan).reasons.first?.kind == .inputSame)
    let skip = #"{"kind":"mark","label":"not run, same input: Row#1","cause":8}"#
    let answer = try ask(Self.listRan + [skip])
    #expect(answer.reasons.first?.kind == .inputSame && answer.reasons.first?.seq == 11)
  }

  @Test func itsHostDidNotReachIt() throws {
    let workspace = workspace
    func ask(_ more: [String]) throws -> WhyNot {
      let hosted = Self.start.map {
        $0.replacing(#""parent":"List""#, with: #""parent":"List","site":"Host.swift:7""#)
      }
      let path = try workspace.log((hosted + Self.listRan + more).joined(separator: "\n"), "hosted.evlog")
      return try WhyNot("Row#1", in: LogSource(path: path))
    }
    let answer = try ask([])
    #expect(answer.reasons.first?.kind == .handedNothing && answer.reasons.first?.seq == 10)
    #expect(
      answer.reasons.first?.message.hasPrefix("it was handed nothing in that run: its parent List ran at")
        == true)
    // The host ends it later, and not the parent's run.
    #expect(try ask([#"{"kind":"dispose","projection":"Row#1"}"#]).reasons.first?.kind == .handedNothing)
    let skip = #"{"kind":"mark","label":"not run, same input: Row#1","cause":8}"#
    #expect(try ask([skip]).reasons.first?.kind == .inputSame)
  }

  @Test func aFrameworkThatNamesNoPlaceForItsViewsIsAHost() throws {
    let workspace = workspace
    func kind(_ log: [String], _ name: String) throws -> WhyNot.Reason.Kind? {
      let path = try workspace.log(log.joined(separator: "\n"), name)
      return try WhyNot("Row#1", in: LogSource(path: path)).reasons.first?.kind
    }
    let frame = #"{"kind":"action","label":"frame","site":"App.swift:3"}"#
    #expect(try kind(Self.start + Self.listRan + [frame], "framework.evlog") == .handedNothing)
    let placed = Self.start.map {
      $0.replacing(#""projection":"List"}"#, with: #""projection":"List","site":"App.swift:7"}"#)
    }
    #expect(try kind(placed + Self.listRan + [frame], "session.evlog") == .inputSame)
  }

  @Test func itsParentHasNotRun() throws {
    let answer = try ask(Array(Self.listRan.prefix(2)))
    #expect(answer.reasons.first?.kind == .parentWaiting && answer.reasons.first?.seq == 8)
  }

  @Test func whatIsWrittenNearItIsRankedAndWhatNobodyReadsIsNamed() throws {
    let start = Self.start.map {
      $0.replacing(#""title":"a"}"#, with: #""title":"a","done":false}"#)
        .replacing(#""title":"b"}"#, with: #""title":"b","done":false}"#).replacing(
          #""n":0"#, with: #""n":0,"perks":0"#)
    }
    let end = [
      #"{"kind":"set","path":"app.rows[id: 2].title","value":"c"}"#,
      #"{"kind":"set","path":"app.rows[id: 1].done","value":true}"#,
      #"{"kind":"set","path":"app.rows[id: 2].done","value":true}"#,
      #"{"kind":"set","path":"app.rows[id: 2].title","value":"c","same_value":true}"#,
      #"{"kind":"set","path":"app.n","value":1}"#,
      #"{"kind":"invalidate","projection":"List","causes":[12],"cause":12}"#,
      #"{"kind":"set","path":"app.perks","value":1}"#, #"{"kind":"set","path":"app.perks","value":2}"#,
    ]
    let log = try LogSource(path: workspace.log((start + end).joined(separator: "\n"), "near.evlog"))
    let answer = try WhyNot("Row#1", in: log)
    let near = try #require(answer.near)
    #expect(
      near.map(\.path) == [
        "app.rows[id: 1].done", "app.rows[id: 2].title", "app.rows[id: 2].done",
      ])
    #expect(near.map(\.relation) == [.sameObject, .sameProperty, .sameList])
    #expect(near.map(\.writes) == [1, 1, 1] && near.map(\.writesSinceRun) == [1, 1, 1])
    let unread = try #require(answer.unreadPaths)
    #expect(unread.map(\.path) == ["app.perks", "app.rows[*].done"] && unread.map(\.writes) == [2, 2])
    #expect(try WhyNot("Row#1", write: PathPattern(parsing: "app.n"), in: log).near == nil)
  }

  @Test func onlyWhatIsWrittenIsSuggested() throws {
    let end = [#"{"kind":"set","path":"app.n","value":1}"#]
    do {
      _ = try ask(end, write: "app.rows[id: 1].titel")
      Issue.record("it was found")
    } catch let error as AnalysisError {
      guard case .unwritten(_, let nearest) = error.reason else {
        Issue.record("\(error)")
        return
      }
      #expect(nearest == nil)
    }
  }

  @Test func aNameOrAPathThatTheLogDoesNotHaveIsRefused() throws {
    #expect(throws: AnalysisError.self) { try ask([], "Rwo#1") }
    #expect(throws: AnalysisError.self) { try ask([], write: "app.m") }
  }

  /// Whatever a log holds, the answer is that it ran exactly if its events say so.
  @Test func anAnswerAgreesWithTheTimeline() throws {
    let seed = testSeed()
    var session = ValidSession(seed: seed)
    let path = workspace.file("random.evlog")
    let writer = try LogWriter(creating: path)
    let events = session.events(240)
    for event in events { try writer.append(event) }
    try writer.close()
    let log = try LogSource(path: path)
    var asked = 0
    for event in events where event.body.kind.isWrite && event.seq % 5 == 0 {
      for name in Set(LogNames(log).projections) {
        let answer = try WhyNot(name, at: .seq(event.seq), in: log)
        asked += 1
        #expect(
          answer.write?.seq == event.seq && !answer.reasons.isEmpty, "seed \(seed), \(name), \(event.seq)")
        for reason in answer.reasons where reason.kind == .ran {
          guard let run = reason.seq, case .evaluate(let ran, _, _, _, _)? = log.event(run)?.body else {
            Issue.record("seed \(seed): event \(reason.seq ?? 0) is no run")
            continue
          }
          #expect(ran.hasSameBytes(as: name) && run > event.seq, "seed \(seed), \(name), \(event.seq)")
        }
      }
    }
    #expect(asked > 0)
  }
}
