import EventLog
import Foundation
import Projection
import Testing

/// Decided cases of graphs, time and threads that have no test elsewhere.
@Suite struct GraphCases {
  @Test func aChangeUndoneInItsTransactionInvalidatesNothingAndLeavesBothSetsInTheLog() throws {
    let model = Rows()
    var runs = 0
    let log = try events(of: model) { session in
      session.projection("View") { _ in
        runs += 1
        _ = model.plain
      }
      session.transaction {
        model.plain = 2
        model.plain = 1
      }
      #expect(runs == 1)
      model.plain = 2
    }
    #expect(runs == 2)
    #expect(log.mutations == ["row.plain <- 2", "row.plain <- 1", "row.plain <- 2"])
  }

  @Test func nestedTransactionsFlushAtTheOutermostExitAndReadsInsideAreCurrent() {
    let model = Rows()
    let session = Session()
    session.attach(model, as: "row")
    var seen: [Int] = []
    session.projection("View") { _ in seen.append(model.plain) }
    session.transaction {
      session.transaction { model.plain = 2 }
      #expect(model.plain == 2 && seen == [1])
      model.plain = 3
    }
    #expect(seen == [1, 3])
  }

  @Test func aDerivedValueWithoutReadersIsNotComputedOnEachRead() {
    let model = Rows()
    let session = Session()
    session.attach(model, as: "row")
    var computed = 0
    let sum = session.derived("sum") {
      computed += 1
      return model.list.reduce(0, +)
    }
    #expect(sum.value == 3 && sum.value == 3 && computed == 1)
    model.list.append(4)
    model.list.append(5)
    #expect(computed == 1)
    #expect(sum.value == 12 && sum.value == 12 && computed == 2)
  }

  @Test func objectsThatComeAfterTheFirstDerivedValueHaveNumbersOfTheirOwn() throws {
    let model = Rows()
    let log = try events(of: model) { session in
      let derived = session.derived("double") { model.plain * 2 }
      #expect(derived.value == 2)
      model.child = Rows()
      model.child?.plain = 5
    }
    #expect(log.mutations.last == "row.child.plain <- 5")
  }

  @Test func anObjectThatIsFreedWhileItIsObservedLeavesNothingBehind() throws {
    let model = Rows()
    weak var freed: Rows?
    var seen: [Int?] = []
    let log = try events(of: model) { session in
      do {
        let child = Rows()
        freed = child
        model.child = child
      }
      session.projection("View") { _ in seen.append(model.child?.plain) }
      model.child?.plain = 5
      model.child = nil
      #expect(freed == nil)
      model.child = Rows()
      model.child?.plain = 6
    }
    #expect(seen == [1, 5, nil, 1, 6])
    #expect(!log.contains { "\($0)".contains("0x") })
  }

  @Test func aCallbackRunsAfterTheSetAndTheStandardLibrarysNoticeBefore() {
    let model = Rows()
    let session = Session()
    session.attach(model, as: "row")
    let journal = Journal()
    nonisolated(unsafe) let unsafe = model
    withObservationTracking {
      _ = model.plain
    } onChange: {
      journal.append("notice \(unsafe.plain)")
    }
    session.onChange(of: \.plain, in: model) { old, new in journal.append("\(old) \(new) \(model.plain)") }
    model.plain = 2
    #expect(journal.lines == ["notice 1", "1 2 2"])
  }

  @Test func noChangeIsMissedBetweenAReadAndTheSubscription() {
    nonisolated(unsafe) let model = Rows()
    let session = Session()
    session.attach(model, as: "row")
    var seen: [Int] = []
    session.projection("View") { _ in
      let value = model.plain
      seen.append(value)
      if value < 3 {
        // Between the read and the end of the run, on a separate thread.
        let thread = Thread { model.plain = value + 1 }
        thread.start()
        while !thread.isFinished { Thread.sleep(forTimeInterval: 0.0005) }
      }
    }
    #expect(seen == [1, 2, 3])
  }

  @Test func aCallbackThatInvalidatesItselfRunsAfterThePresentNoticeAsAChildEvent() throws {
    let model = Rows()
    let journal = Journal()
    let log = try events(of: model) { session in
      session.onChange(of: \.plain, in: model, name: "First") { old, new in
        journal.append("first \(old) \(new)")
        if new < 4 { model.plain = new + 1 }
        journal.append("first done")
      }
      session.onChange(of: \.plain, in: model, name: "Second") { old, new in
        journal.append("second \(old) \(new)")
      }
      model.plain = 3
    }
    #expect(journal.lines == ["first 1 3", "first done", "second 1 4", "first 3 4", "first done"])
    let sets = log.filter { if case .set = $0.body { true } else { false } }
    #expect(sets.map(\.cause) == [nil, sets[0].seq])
  }

  @Test func aCallbackThatInvalidatesItselfForEverIsStoppedAndReportedAndTheSessionStaysUsable() {
    let model = Rows()
    let session = Session()
    session.attach(model, as: "row")
    var calls = 0
    session.onChange(of: \.plain, in: model) { _, new in
      calls += 1
      model.plain = new + 1
    }
    model.plain = 2
    #expect(calls == 100)
    #expect(
      session.diagnostics.map(\.message) == [
        "stopped after 100 rounds: onChange(row.plain) keeps invalidating itself"
      ])
    var seen: [String] = []
    session.projection("View") { _ in seen.append(model.text) }
    model.text = "after"
    #expect(seen == ["text", "after"])
  }

  @Test func aCallbackRunsOutsideTheLockSoThatAnotherThreadMayWrite() {
    nonisolated(unsafe) let model = Rows()
    let session = Session()
    session.attach(model, as: "row")
    session.onChange(of: \.plain, in: model) { _, _ in
      let thread = Thread { model.text = "from another thread" }
      thread.start()
      while !thread.isFinished { Thread.sleep(forTimeInterval: 0.0005) }
    }
    model.plain = 2
    #expect(model.text == "from another thread")
  }
}

/// Parents and children with each tracking: which of them run again when a property that one of them read is
/// set.
@Suite struct ScopeCases {
  enum Step: CaseIterable { case change, sameValue, other }

  @Test(arguments: [Tracking.property, .element])
  func aPropertyThatAChildReadsNeverRunsItsParent(tracking: Tracking) {
    #expect(runs(tracking, readInParent: false) == ["child", "", ""])
  }

  @Test(arguments: [Tracking.property, .element])
  func aPropertyThatTheParentReadsRunsItAndTheChildOnlyIfItsInputDiffers(tracking: Tracking) {
    #expect(runs(tracking, readInParent: true) == ["parent child", "", ""])
    #expect(runs(tracking, readInParent: true, input: 1) == ["parent", "", ""])
  }

  @Test func anObjectThatAChildReadsRunsItOnEverySetAndNeverItsParent() {
    #expect(runs(.object, readInParent: false) == ["child", "child", "child"])
  }

  @Test func anObjectThatTheParentReadsRunsItOnEverySetAndTheChildOnlyIfItsInputDiffers() {
    #expect(runs(.object, readInParent: true) == ["parent child", "parent child", "parent child"])
    #expect(runs(.object, readInParent: true, input: 1) == ["parent", "parent", "parent"])
  }

  private func runs(_ tracking: Tracking, readInParent: Bool, input: Int? = nil) -> [String] {
    let model = Rows()
    let session = Session()
    session.attach(model, as: "row")
    var ran: [String] = []
    session.projection("Parent", tracking: tracking) { scope in
      ran.append("parent")
      if readInParent { _ = model.plain }
      let body = { (_: Scope) in
        ran.append("child")
        if !readInParent { _ = model.plain }
      }
      if let input { scope.child("Child", input: input, body) } else { scope.child("Child", body) }
    }
    return Step.allCases.map { step in
      ran = []
      switch step {
      case .change: model.plain += 1
      case .sameValue: model.plain = model.plain
      case .other: model.text += "!"
      }
      return ran.joined(separator: " ")
    }
  }
}
