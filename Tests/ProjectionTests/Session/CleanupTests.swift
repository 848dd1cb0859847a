import EventLog
import Foundation
import Projection
import Testing

/// Untracked reads, and cleanups of runs.
@Suite struct CleanupTests {
  let session = Session()
  let model = Rows()
  let journal = Journal()

  init() { session.attach(model, as: "row") }

  @Test func untrackedReadsAreNoDependencies() {
    let d = session.derived("d") { model.plain + untracked { model.list.count } }
    session.projection("P") { scope in
      _ = untracked { untracked { model.number } + model.number + model.array[0] + d.value }
      scope.child("Child") { _ in _ = untracked { model.double } }
      journal.append("P \(model.text)")
    }
    session.projection("D") { _ in journal.append("D \(d.value)") }
    #expect(journal.lines == ["P text", "D 3"])
    model.number = 5
    model.array[0] = 7
    model.list.append(3)
    model.double = 2
    #expect(journal.lines.count == 2)
    model.plain = 2
    #expect(journal.lines.dropFirst(2) == ["D 5"])
    model.text = "new"
    #expect(journal.lines.last == "P new")
  }

  @Test func childrenMadeUntrackedAndReadsAfterAreTracked() {
    session.projection("P") { scope in
      untracked { scope.child("Child") { _ in journal.append("child \(model.plain)") } }
      journal.append("P \(model.number)")
    }
    model.plain = 2
    model.number = 3
    #expect(journal.lines == ["child 1", "P 1", "child 2", "child 2", "P 3"])
  }

  @Test func untrackedReadsAreNoneOfAnUnattachedObjectEither() throws {
    struct Failure: Error {}
    let other = Rows()
    session.projection("P") { _ in journal.append("\(untracked { other.plain })") }
    session.attach(other, as: "other")
    other.plain = 2
    #expect(journal.lines == ["1"])
    #expect(untracked { other.plain } == 2)
    #expect(throws: Failure.self) { try untracked { throw Failure() } }
  }

  @Test func theStandardLibraryFollowsWhatIsReadUntracked() {
    journal.watch("plain") { _ = untracked { model.plain } }
    model.plain = 2
    #expect(journal.lines == ["plain changes"])
  }

  @Test func aCleanupRunsBeforeTheNextRunAndAtTheEndOnceEach() {
    let subscription = session.projection("P") { scope in
      let value = model.plain
      journal.append("run \(value)")
      scope.onCleanup { journal.append("first \(value)") }
      scope.onCleanup { journal.append("second \(value)") }
    }
    model.plain = 2
    #expect(journal.lines == ["run 1", "second 1", "first 1", "run 2"])
    subscription.cancel()
    subscription.cancel()
    model.plain = 3
    #expect(journal.lines.dropFirst(4) == ["second 2", "first 2"])
  }

  @Test func aRunThatAsksForNoCleanupHasNone() {
    session.projection("P") { scope in
      journal.append("run \(model.plain)")
      if model.plain == 1 { scope.onCleanup { journal.append("clean") } }
    }
    model.plain = 2
    model.plain = 3
    #expect(journal.lines == ["run 1", "clean", "run 2", "run 3"])
  }

  @Test func childrenAreCleanedWhenTheyRunAgainAndWhenTheyAreNotMade() {
    let parent = session.projection("Parent") { scope in
      scope.onCleanup { journal.append("parent") }
      for row in model.list {
        scope.child("Row", id: row, input: row) { child in
          _ = model.plain
          child.onCleanup { journal.append("row \(row)") }
          child.child("Label", input: row) { $0.onCleanup { journal.append("label \(row)") } }
        }
      }
    }
    model.plain = 2
    #expect(journal.lines == ["row 1", "row 2"])
    model.list = [2]
    #expect(journal.lines.dropFirst(2) == ["parent", "label 1", "row 1"])
    parent.cancel()
    #expect(journal.lines.dropFirst(5) == ["label 2", "row 2", "parent"])
  }

  @Test func closingTheSessionCleansUp() throws {
    session.projection("P") { scope in
      scope.child("Child", input: 1) { $0.onCleanup { journal.append("child") } }
      scope.onCleanup { journal.append("parent") }
    }
    try session.close()
    try session.close()
    #expect(journal.lines == ["child", "parent"])
  }

  @Test func aReleasedSessionCleansUp() {
    do {
      let session = Session()
      session.projection("P") { $0.onCleanup { journal.append("clean") } }
    }
    #expect(journal.lines == ["clean"])
  }

  @Test func aCleanupReadsWithoutDependingAndWritesWithoutRunningItsOwnRunAgain() {
    session.projection("P") { scope in
      journal.append("run \(model.plain)")
      scope.onCleanup {
        _ = model.text
        model.plain += 10
      }
    }
    model.text = "other"
    #expect(journal.lines == ["run 1"])
    model.plain = 2
    #expect(journal.lines == ["run 1", "run 12"])
    #expect(session.diagnostics == [])
  }

  @Test func aProjectionThatIsCancelledInItsBodyOrItsCleanupIsCleanedOnce() {
    var subscription: ProjectionHandle?
    subscription = session.projection("P") { scope in
      scope.onCleanup { journal.append("before \(model.plain)") }
      if model.plain == 2 { subscription?.cancel() }
      scope.onCleanup { journal.append("after \(model.plain)") }
    }
    model.plain = 2
    #expect(journal.lines == ["after 2", "before 2", "before 2", "after 2"])
    model.plain = 3
    #expect(journal.lines.count == 4)

    var second: ProjectionHandle?
    second = session.projection("Q") { scope in
      journal.append("run Q \(model.plain)")
      scope.onCleanup {
        second?.cancel()
        journal.append("Q")
      }
    }
    model.plain = 4
    #expect(journal.lines.dropFirst(4) == ["run Q 3", "Q"])
  }

  @Test func aBodyThatClosesItsSessionIsCleanedOnce() throws {
    session.projection("P") { scope in
      scope.onCleanup { journal.append("before") }
      try? session.close()
      scope.onCleanup { journal.append("after") }
      scope.child("Child") { $0.onCleanup { journal.append("child") } }
    }
    #expect(journal.lines == ["before", "child", "after"])
  }

  @Test(arguments: [Delivery.immediate, .manual])
  func writesOfACleanupHaveTheCauseOfTheRunOrEnd(delivery: Delivery) throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let model = Rows()
    let session = try Session(recordingTo: url, delivery: delivery)
    session.attach(model, as: "row")
    session.projection("P") { scope in
      for row in model.list {
        scope.child("Row", id: row, input: row) { $0.onCleanup { model.text = "gone \(row)" } }
      }
      let value = model.plain
      scope.onCleanup { model.text = "over \(value)" }
    }
    session.projection("Text") { _ in model.text }
    model.plain = 2
    session.flush()
    model.list = [1]
    session.flush()
    try session.close()
    var causes: [String: UInt64?] = [:]
    var seqs: [String: UInt64] = [:]
    var open = 0
    try LogReader(path: url.path).forEachEvent { event in
      switch event.body {
      case .begin: open += 1
      case .end: open -= 1
      case .set(let path, .string(let text), _) where "\(path)" == "row.text": causes[text] = event.cause
      default: break
      }
      if case .evaluate("P", _, _, _, _) = event.body { seqs["run \(seqs.count)"] = event.cause ?? 0 }
    }
    #expect(open == 0, "no transaction is left open")
    #expect(causes.keys.sorted() == ["gone 1", "gone 2", "over 1", "over 2"])
    #expect(seqs["run 1"] != nil && causes["over 1"] == seqs["run 1"])
    #expect(seqs["run 2"] != nil && causes["gone 2"] == seqs["run 2"])
    #expect(causes["gone 1"] == .some(nil), "the session was closed on nobody's account")
  }
}
