import EventLog
import Foundation
import Projection
import Testing

/// Projections whose bodies their host runs.
@Suite struct HostedProjectionTests {
  typealias Run = HostedLog.Run

  let model = Model()

  private func log(
    delivery: Delivery = .immediate, _ body: (Session) throws -> Void
  ) throws -> HostedLog {
    try HostedLog(delivery: delivery) { session in
      session.attach(model, as: "app")
      try body(session)
    }
  }

  // MARK: Runs

  @Test func theSessionRecordsThatItIsOutOfDateAndDoesNotRunIt() throws {
    let log = try log { session in
      let view = session.hosted("View")
      #expect(view.name == "View" && !view.isInvalidated)
      #expect(view.run { model.text } == "hello world, this is a text")
      #expect(!view.isInvalidated)
      model.isLoading = true
      #expect(!view.isInvalidated)
      model.text = "a"
      #expect(view.isInvalidated)
      session.flush()
      #expect(view.isInvalidated)
      #expect(view.run { model.text } == "a")
      #expect(!view.isInvalidated)
      model.text = "a"
      #expect(!view.isInvalidated)
    }
    #expect(log.invalidated == ["View"])
    #expect(
      log.runs == [
        Run("View", changed: true, cause: nil), Run("View", changed: true, cause: "app.text = \"a\""),
      ])
  }

  @Test func oneThatIsOffScreenIsInvalidatedByEachChangeAndRunsForTheLast() throws {
    let log = try log { session in
      let (view, other) = (session.hosted("View"), session.hosted("Other"))
      view.run { model.text }
      other.run { model.text }
      for text in ["a", "b", "c"] { model.text = text }
      view.run { model.text }
    }
    #expect(log.invalidated.filter { $0 == "View" }.count == 3)
    #expect(log.runs.map(\.cause) == [nil, nil, "app.text = \"c\""])
    #expect(log.waiting == ["Other"])
  }

  @Test func whetherAnOutputChangedIsRecordedWhereItCanBeCompared() throws {
    let log = try log { session in
      let (number, view, nothing) = (session.hosted("N"), session.hosted("V"), session.hosted("Nothing"))
      for text in ["a", "b", "bc"] {
        model.text = text
        number.run { model.text.utf8.count }
        view.run { NotEquatable(part: model.text.utf8.count) }
        nothing.run { _ = model.text }
      }
    }
    #expect(log.runs.filter { $0.name == "N" }.map(\.changed) == [true, false, true])
    #expect(log.runs.filter { $0.name == "V" }.map(\.changed) == [nil, nil, nil])
    #expect(log.runs.filter { $0.name == "Nothing" }.map(\.changed) == [nil, nil, nil])
  }

  @Test func aRunHasWhatItsHostKnowsOfWhatWasHandedIn() throws {
    let log = try log { session in
      let view = session.hosted("View")
      // There is no earlier output from which the first one could differ.
      for changed in [true, true, false, nil, false] { view.run(inputChanged: changed) { model.text } }
      view.run { model.text }
    }
    let inputs = log.events.compactMap { event -> Bool?? in
      if case .evaluate(_, _, _, let inputChanged, _) = event.body { inputChanged } else { nil }
    }
    #expect(inputs == [nil, true, false, nil, false, nil])
  }

  @Test func anOutputThatCannotBeComparedIsNotKept() {
    final class Shown {}
    struct View { var shown: Shown }
    let view = Session().hosted("View")
    weak var shown: Shown?
    do {
      let object = Shown()
      shown = object
      _ = view.run { View(shown: object) }
    }
    #expect(shown == nil)
  }

  @Test func aBodyThatThrowsHasRunAndItsReadsCount() throws {
    struct Failure: Error {}
    let log = try log { session in
      let view = session.hosted("View")
      view.run { model.text }
      model.text = "a"
      #expect(throws: Failure.self) {
        try view.run { () throws -> String in
          _ = model.isLoading
          throw Failure()
        }
      }
      model.text = "b"
      #expect(!view.isInvalidated)
      model.isLoading = true
      #expect(view.isInvalidated)
      model.text = "hello world, this is a text"
      view.run { model.text }
    }
    #expect(log.runs.map(\.changed) == [true, nil, false])
  }

  @Test func whatABodyWritesIsCausedByWhatLedToTheRun() throws {
    let log = try log { session in
      let view = session.hosted("View")
      session.onChange(of: \.isLoading, in: model, name: "Callback") { _, _ in model.selected = nil }
      view.run { model.text }
      model.text = "a"
      view.run {
        _ = model.text
        model.isLoading = true
      }
    }
    #expect(
      log.writes.suffix(3) == [
        "app.text = \"a\" <- nothing", "app.isLoading = true <- app.text = \"a\"",
        "app.selected = null <- app.isLoading = true",
      ])
  }

  @Test func aBodyThatChangesWhatItReadIsOutOfDateAgain() throws {
    let log = try log { session in
      let view = session.hosted("View")
      view.run {
        _ = model.text
        model.text = "a"
      }
      #expect(view.isInvalidated)
      view.run { model.text }
      #expect(!view.isInvalidated)
      view.run {
        model.text = "b"
        _ = model.text
      }
      #expect(!view.isInvalidated)
    }
    #expect(log.names == ["View", "View", "View"])
  }

  @Test func aChangeByAnotherThreadDuringARunPutsItOutOfDate() throws {
    let player = Player()
    _ = try log { session in
      model.selected = player
      let view = session.hosted("View")
      view.run {
        _ = player.title
        onAnotherThread { player.title = "b" }
      }
      #expect(view.isInvalidated)
      view.run { player.title }
      #expect(!view.isInvalidated)
    }
  }

  @Test func runsMayBeOnAnyThread() throws {
    let player = Player()
    let log = try log { session in
      model.selected = player
      let view = session.hosted("View")
      onAnotherThread { view.run { _ = player.title } }
      onAnotherThread { player.title = "b" }
      #expect(view.isInvalidated)
      view.run { _ = player.title }
    }
    #expect(log.runs.map(\.cause) == [nil, "app.selected.title = \"b\""])
  }

  @Test func aRunWithinARunOfTheSameOneOnlyRunsTheBody() throws {
    let log = try log { session in
      let view = session.hosted("View")
      view.run { view.run { model.text } }
      model.text = "a"
      #expect(view.isInvalidated)
    }
    #expect(log.names == ["View"])
  }

  // MARK: Parents

  @Test func aChildRunsForWhatItsParentRanForInTheSameTurn() throws {
    let log = try log { session in
      let parent = session.hosted("Parent")
      let child = session.hosted("Child", parent: parent)
      let grandchild = session.hosted("Grandchild", parent: child)
      func runAll() {
        parent.run { model.text }
        child.run { 1 }
        grandchild.run { model.players.count }
      }
      runAll()
      model.text = "a"
      runAll()
      // A projection between the two did not run.
      model.text = "b"
      parent.run { model.text }
      grandchild.run { 1 }
    }
    #expect(
      log.runs.map { "\($0.name) \($0.cause ?? "-")" } == [
        "Parent -", "Child -", "Grandchild -", "Parent app.text = \"a\"", "Child app.text = \"a\"",
        "Grandchild app.text = \"a\"", "Parent app.text = \"b\"", "Grandchild app.text = \"b\"",
      ])
  }

  enum TurnEnd: CaseIterable { case set, mark, call }

  @Test(arguments: TurnEnd.allCases)
  func aChildThatRunsInALaterTurnHasNoCause(end: TurnEnd) throws {
    let log = try log { session in
      let parent = session.hosted("Parent")
      let child = session.hosted("Child", parent: parent)
      parent.run { model.text }
      child.run { 1 }
      model.text = "a"
      parent.run { model.text }
      switch end {
      case .set: model.isLoading = true
      case .mark: session.mark("tap")
      case .call: session.endHostTurn()
      }
      child.run { 2 }
      let late = session.hosted("Late", parent: parent)
      late.run { 3 }
    }
    #expect(
      log.runs.suffix(3) == [
        Run("Parent", changed: true, cause: "app.text = \"a\""), Run("Child", changed: true, cause: nil),
        Run("Late", changed: true, cause: nil),
      ])
  }

  @Test func whatTheRunsOfATurnWriteDoesNotEndIt() throws {
    let log = try log { session in
      session.onChange(of: \.isLoading, in: model, name: "Callback") { _, _ in model.selected = nil }
      let parent = session.hosted("Parent")
      parent.run { model.text }
      model.text = "a"
      parent.run {
        _ = model.text
        model.isLoading.toggle()
      }
      let child = session.hosted("Child", parent: parent)
      child.run { 1 }
    }
    #expect(log.runs.last == Run("Child", changed: true, cause: "app.text = \"a\""))
  }

  @Test func nestedRunsAreRecordedAsThoseOfChildren() throws {
    let log = try log { session in
      let parent = session.hosted("Parent", id: 7)
      var child: HostedProjection?
      func run() {
        parent.run {
          _ = model.text
          let inner = child ?? session.hosted("Child")
          child = inner
          inner.run { Thread.sleep(forTimeInterval: 0.002) }
        }
      }
      run()
      model.text = "a"
      run()
    }
    #expect(
      log.runs.map { "\($0.name) \($0.cause ?? "-")" } == [
        "Child#7 -", "Parent#7 -", "Child#7 app.text = \"a\"", "Parent#7 app.text = \"a\"",
      ])
    let parents = log.events.compactMap { event in
      if case .projection("Child#7", let parent, _) = event.body { parent } else { nil }
    }
    #expect(parents == ["Parent#7"])
    // The time of no run includes that of another, so both together fit between the set and the end. The log
    // keeps whole microseconds of times, and three digits of durations.
    let last = log.events.reversed().prefix { $0.body.writtenPath == nil }.reversed()
    let durations = last.map { event in
      if case .evaluate(_, let duration, _, _, _) = event.body { duration } else { 0 as UInt64 }
    }
    let span = try #require(last.last).time - (try #require(log.events.dropLast(last.count).last).time)
    #expect(try #require(durations.max()) >= 2_000_000)
    #expect(durations.reduce(0, +) <= span + span / 100 + 2_000)
  }

  @Test func aParentOfAnotherSessionIsNone() throws {
    let other = Session().hosted("Other")
    let log = try log { session in
      let view = session.hosted("View", parent: other)
      view.run { 1 }
    }
    #expect(log.names == ["View"])
  }

  // MARK: The end

  @Test func whatIsShownInOneThatEndsGoesOn() throws {
    let log = try log { session in
      let parent = session.hosted("Parent")
      let child = session.hosted("Child", parent: parent)
      parent.run { 1 }
      child.run { model.text }
      parent.dispose()
      parent.dispose()
      #expect(parent.run { model.isLoading } == false)
      model.isLoading = true
      #expect(!parent.isInvalidated)
      model.text = "a"
      #expect(child.isInvalidated)
      child.run { model.text }
      child.dispose()
      model.text = "b"
      #expect(!child.isInvalidated)
    }
    #expect(log.names == ["Parent", "Child", "Child"])
    #expect(log.ended == ["Parent", "Child"])
  }

  @Test func oneThatIsReleasedEnds() throws {
    let log = try log { session in
      var view: HostedProjection? = session.hosted("View")
      view?.run { model.text }
      view = nil
      model.text = "a"
      // Its name can be used again.
      #expect(session.hosted("View").name == "View")
      // It waits until the current run has ended.
      let outer = session.hosted("Outer")
      outer.run {
        view = session.hosted("Inner")
        view?.run { model.text }
        view = nil
      }
    }
    #expect(log.invalidated == [])
    #expect(log.ended.sorted() == ["Inner", "Outer", "View", "View"])
  }

  @Test func oneThatEndsItselfIsNotRecordedAnyMore() throws {
    let log = try log { session in
      let view = session.hosted("View")
      view.run {
        _ = model.text
        view.dispose()
      }
      model.text = "a"
    }
    #expect(log.names == [] && log.invalidated == [] && log.ended == ["View"])
  }

  @Test func whatOneThatHasEndedReadsIsReadByTheRunAroundIt() throws {
    _ = try log { session in
      let (outer, inner) = (session.hosted("Outer"), session.hosted("Inner"))
      inner.dispose()
      outer.run { inner.run { model.text } }
      model.text = "a"
      #expect(outer.isInvalidated)
    }
  }

  @Test func afterTheSessionIsClosedBodiesRunAllTheSame() throws {
    let session = Session()
    session.attach(model, as: "app")
    let view = session.hosted("View")
    view.run { model.text }
    model.text = "a"
    #expect(view.isInvalidated)
    try session.close()
    #expect(!view.isInvalidated)
    #expect(view.run { model.text } == "a")
    view.dispose()
    let late = session.hosted("Late", id: 3, parent: view)
    #expect(late.name == "Late#3")
    #expect(late.run { model.text } == "a")
    late.dispose()
  }

  @Test func aBodyMayCloseItsSession() throws {
    let session = Session()
    session.attach(model, as: "app")
    let view = session.hosted("View")
    let text = try view.run {
      try session.close()
      return model.text
    }
    #expect(text == model.text)
  }

  // MARK: What it reads

  @Test func oneThatReadsAnObjectBeforeItIsAttachedDependsOnIt() throws {
    let player = Player()
    let log = try log { session in
      let view = session.hosted("View")
      view.run { player.title }
      player.title = "b"
      #expect(!view.isInvalidated)
      model.selected = player
      #expect(view.isInvalidated)
      view.run { player.title }
      player.title = "c"
      #expect(view.isInvalidated)
    }
    #expect(log.invalidated == ["View", "View"])
  }

  @Test func aDerivedValueThatItReadsIsKeptUpToDateWhileItIsCurrent() throws {
    var count = 0
    let log = try log { session in
      let length = session.derived("length") {
        count += 1
        return model.text.utf8.count
      }
      let view = session.hosted("View")
      view.run { length.value }
      model.text = "a"
      #expect(count == 2 && view.isInvalidated)
      // The derived value is not needed before the view runs.
      model.text = "ab"
      #expect(count == 2)
      view.run { length.value }
      #expect(count == 3)
      model.text = "cd"
      #expect(count == 4 && !view.isInvalidated)
    }
    #expect(log.invalidated.filter { $0 == "View" }.count == 2)
  }

  @Test(arguments: [Tracking.property, .object, .element])
  func oneThatHandsACollectionOnDependsOnIt(tracking: Tracking) throws {
    _ = try log { session in
      let parent = session.hosted("Parent", tracking: tracking)
      let child = session.hosted("Child", parent: parent, tracking: tracking)
      var rows: RecordedArray<Item> = []
      parent.run { rows = model.rows }
      child.run { rows.count }
      model.rows.append(Item(id: 1))
      // The child's own copy stays unchanged.
      #expect(parent.isInvalidated)
    }
  }

  @Test func propertiesAreFollowedUnlessItIsToldOtherwise() {
    let session = Session()
    session.attach(model, as: "app")
    model.rows = [Item(id: 1), Item(id: 2)]
    let byDefault = session.hosted("Default")
    let byElement = session.hosted("Element", tracking: .element)
    for view in [byDefault, byElement] { view.run { model.rows[id: 1]?.title } }
    model.rows[id: 2]?.title = "b"
    #expect(byDefault.isInvalidated && !byElement.isInvalidated)
  }

  // MARK: Transactions, deliveries and others

  @Test func oneThatRunsInATransactionIsComparedFromThereOn() throws {
    let log = try log { session in
      let (before, within) = (session.hosted("Before"), session.hosted("Within"))
      before.run { model.isLoading }
      within.run { model.isLoading }
      session.transaction {
        model.isLoading = true
        within.run { model.isLoading }
        model.isLoading = false
      }
      #expect(!before.isInvalidated && within.isInvalidated)
    }
    #expect(log.invalidated == ["Within"])
  }

  @Test func collectedChangesInvalidateWhenTheyAreFlushed() throws {
    let log = try log(delivery: .manual) { session in
      let view = session.hosted("View")
      view.run { model.text }
      model.text = "a"
      model.text = "b"
      #expect(!view.isInvalidated)
      session.flush()
      #expect(view.isInvalidated)
      view.run { model.text }
    }
    #expect(log.invalidated == ["View"])
    #expect(log.runs.last?.cause == "transaction")
  }

  @Test(arguments: [Tracking.property, .object, .element])
  func oneThatRunsBeforeItsChangesAreFlushedRunsForTheLastOfThem(tracking: Tracking) throws {
    let log = try log(delivery: .manual) { session in
      let parent = session.hosted("Parent", tracking: tracking)
      let child = session.hosted("Child", parent: parent)
      parent.run { model.text }
      child.run { 1 }
      session.flush()
      model.text = "a"
      model.text = "b"
      // The standard library's observation runs it without calling the session.
      parent.run { model.text }
      child.run { 2 }
      session.flush()
      #expect(!parent.isInvalidated)
    }
    #expect(log.invalidated == [])
    #expect(log.runs.suffix(2).map(\.cause) == ["app.text = \"b\"", "app.text = \"b\""])
  }

  @Test func measureCountsRuns() {
    let session = Session()
    session.attach(model, as: "app")
    let parent = session.hosted("Parent")
    let child = session.hosted("Child", id: 1, parent: parent)
    parent.run { model.text }
    let report = session.measure {
      model.text = "a"
      #expect(parent.isInvalidated)
      parent.run { model.text }
      child.run { 1 }
    }
    #expect(report.evaluationsByInstance == ["Parent": 1, "Child#1": 1])
    #expect(report.invalidationsByInstance == ["Parent": 1])
  }

  @Test func applyingARecordingInvalidates() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let former = try Session(recordingTo: url)
    let other = Model()
    former.attach(other, as: "app")
    other.text = "former"
    try former.close()
    let recording = try Recording(LogReader(path: url.path))
    let log = try log { session in
      let view = session.hosted("View")
      view.run { model.text }
      try session.apply(recording, through: recording.lastSeq)
      #expect(view.isInvalidated)
      #expect(view.run { model.text } == "former")
    }
    #expect(log.invalidated == ["View"])
  }
}

func onAnotherThread(_ body: @escaping () -> Void) {
  nonisolated(unsafe) let body = body
  let done = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    body()
    done.signal()
  }
  done.wait()
}
