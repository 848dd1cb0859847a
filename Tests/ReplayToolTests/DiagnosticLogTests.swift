import EventLog
import Foundation
import LogGenerator
import Projection
import Testing

@testable import ReplayAnalysis
@testable import ReplayTool

/// Whatever a session reports is in its log too, once, where it happened: `replay` has no access to the session.
@Suite struct DiagnosticLogTests {
  @Recorded final class Store {
    var count = 0
    var rows: RecordedArray<Row> = []
    @Redacted var secrets: RecordedArray<Row> = []
    var other: Store?
    var text: Unspellable = Unspellable()
  }

  struct Row: Identifiable {
    var id: Int
    var text = ""
  }

  /// Its recorded form changes the session while an event that holds it is being recorded.
  struct Unspellable: Encodable {
    var report: () -> Void = {}
    func encode(to encoder: any Encoder) throws {
      report()
      var container = encoder.singleValueContainer()
      try container.encode("text")
    }
  }

  struct Style { var action: () -> Void }

  /// Records a session, checks that its log agrees with itself, and returns the diagnostics of both.
  private func diagnostics(
    _ delivery: Delivery = .immediate, _ body: (Session, Store) throws -> Void
  ) throws -> (session: [String], log: [String], events: [Event], found: [String], hasCycle: Bool) {
    let workspace = try Workspace()
    let log = workspace.file("run.evlog")
    let session = try Session(recordingTo: URL(filePath: log), delivery: delivery)
    let store = Store()
    session.attach(store, as: "store")
    try body(session, store)
    session.flush()
    try session.close()
    let verified = ToolRun("verify", log)
    #expect(verified.status == .done, "\(verified.output)\(verified.errors)")
    var events: [Event] = []
    try LogReader(path: log).forEachEvent { events.append($0) }
    let marks = events.compactMap { event in
      if case .mark(let label) = event.body { ReportedDiagnostic(label: label)?.message } else { nil }
    }
    let findings = try LintReport.of(log).findings
    let found = findings.filter { $0.rule == .diagnostic }.map(\.message)
    let hasCycle = findings.contains { $0.rule == .selfWake }
    return (session.diagnostics.map(\.message), marks, events, found, hasCycle)
  }

  @Test(arguments: [Delivery.immediate, .manual]) func everyDiagnosticIsInTheLogOnce(
    delivery: Delivery
  ) throws {
    let other = Session()
    let taken = Store()
    other.attach(taken, as: "taken")
    let forgotten = Store()
    let seen = try diagnostics(delivery) { session, store in
      for _ in 0..<2 {
        store.rows = [Row(id: 1), Row(id: 1)]
        session.transaction {
          store.rows.append(Row(id: 2))
          store.rows.append(Row(id: 2))
        }
        store.other = taken
        store.other = nil
      }
      let loop = session.onChange(of: \.count, in: store, name: "Loop") { _, new in store.count = new + 1 }
      for start in [5, -1_000] {
        store.count = start
        session.flush()
      }
      loop.cancel()
      session.onReceive(of: \.count, in: store, name: "Doubler") { value in
        store.count = value + 1
        store.count = value + 2
      }
      store.count = 0
      session.flush()
      session.projection("List") { list in
        list.child("Row", input: Style {}) { store.rows.count }
        return forgotten.count
      }
      nonisolated(unsafe) var cyclic: Derived<Int>?
      let derived = session.derived("cyclic") { (cyclic?.value ?? 0) + store.rows.count }
      cyclic = derived
      _ = derived.value
      cyclic = nil
    }
    withExtendedLifetime((other, forgotten)) {}
    #expect(Set(seen.session) == Set(seen.log))
    #expect(seen.log.count == Set(seen.log).count, "each once")
    // That a cycle was stopped is said at the finding that has the cycle.
    let listed = seen.log.filter { !$0.hasPrefix("stopped after ") || !seen.hasCycle }
    #expect(Set(seen.found) == Set(listed.map { $0 + "." }), "lint lists them")
    for start in [
      "store.rows has more than one element with the id 1",
      "store.rows has more than one element with the id 2",
      "a Store was not recorded, because another session records it", "stopped after 100 rounds: Loop ",
      "stopped after 10000 calls: Doubler ", "Row's input of type Style cannot be compared",
      "derived values depend on each other: cyclic -> cyclic",
    ] {
      #expect(seen.log.count { $0.hasPrefix(start) } == 1, "\(start): \(seen.log)")
    }
  }

  @Test func aDiagnosticIsInTheLogRightAfterItsEventAndBeforeTheSessionCloses() throws {
    let seen = try diagnostics { session, store in
      session.projection("View") { _ in store.rows.count }
      store.rows = [Row(id: 1), Row(id: 1)]
      session.mark("later")
    }
    let kinds = seen.events.map { $0.body.kind }
    let mark = try #require(
      seen.events.firstIndex {
        if case .mark(let label) = $0.body { label.hasPrefix("diagnostic") } else { false }
      })
    #expect(kinds[(mark - 2)..<(mark + 2)] == [.splice, .invalidate, .mark, .evaluate])
  }

  @Test func aDiagnosticThatIsReportedWithinAnEventWaitsForItsEnd() throws {
    let other = Session()
    let taken = Store()
    other.attach(taken, as: "taken")
    let seen = try diagnostics { session, store in
      session.projection("View") { _ in store.text }
      store.text = Unspellable { session.attach(taken, as: "mine") }
    }
    withExtendedLifetime(other) {}
    #expect(
      seen.log == ["a Store was not recorded, because another session records it; close that session first"])
  }

  @Test func aDiagnosticShowsNothingOfWhatIsRedacted() throws {
    let seen = try diagnostics { _, store in
      store.secrets = [Row(id: 4_711, text: "hunter2"), Row(id: 4_711, text: "hunter2")]
      store.secrets.append(Row(id: 4_711))
    }
    #expect(!seen.session.contains { $0.contains("4711") || $0.contains("hunter2") })
    #expect(!seen.events.contains { $0.json(statesSameValue: true).contains("4711") })
  }

  /// What the log of a program that is killed then has.
  private func reportedWhileOpen(_ body: (Session, Store) throws -> Void) throws -> [String] {
    let workspace = try Workspace()
    let log = workspace.file("run.evlog")
    let session = try Session(recordingTo: URL(filePath: log))
    let store = Store()
    session.attach(store, as: "store")
    session.projection("Badge") { _ in store.count }
    try body(session, store)
    try session.sync(.written)
    var messages: [String] = []
    try LogReader(path: log).forEachEvent { event in
      guard case .mark(let label) = event.body, let found = ReportedDiagnostic(label: label) else { return }
      messages.append(found.message)
    }
    try session.close()
    #expect(ToolRun("verify", log).status == .done)
    return messages
  }

  @Test func anObjectThatIsNeverAttachedIsReportedBeforeTheProgramIsKilled() throws {
    let forgotten = Store()
    let message =
      "View reads a Store that is not attached, and is not invalidated by its changes; attach it, or put it into a "
      + "property of an object that is"
    let seen = try reportedWhileOpen { session, store in
      session.projection("View") { _ in forgotten.count }
      for count in 1...300 { store.count = count }
      #expect(session.diagnostics.map(\.message) == [message])
    }
    #expect(seen == [message])
  }

  @Test func anObjectThatIsAttachedSoonIsNotReported() throws {
    let late = Store()
    let seen = try reportedWhileOpen { session, store in
      session.projection("View") { _ in late.count }
      for count in 1...20 { store.count = count }
      store.other = late
      for count in 1...1_000 { store.count = count }
      #expect(session.diagnostics == [])
    }
    #expect(seen == [])
  }

  @Test func oneThatIsReadLateIsReportedToo() throws {
    let (first, second) = (Store(), Store())
    let seen = try reportedWhileOpen { session, store in
      session.projection("First") { _ in first.count }
      for count in 1...400 { store.count = count }
      session.projection("Second") { _ in second.count }
      for count in 1...400 { store.count = count }
      withExtendedLifetime(first) {}
    }
    #expect(seen.map { String($0.prefix { $0 != " " }) } == ["First", "Second"])
    withExtendedLifetime(second) {}
  }

  @Test func aSessionThatReportsThousandsOfThingsKeepsTheFirst() throws {
    let seen = try diagnostics { _, store in
      for id in 0..<3_000 { store.rows = [Row(id: id), Row(id: id)] }
    }
    #expect(seen.session.count == 1_000 && seen.log == seen.session)
    #expect(seen.log.last == "there are more diagnostics, which are left out")
  }
}
