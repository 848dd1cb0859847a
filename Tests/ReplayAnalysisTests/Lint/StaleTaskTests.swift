import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// Answers of tasks that callbacks start, which have the write that called for them as their cause.
@Suite struct StaleTaskTests {
  private func stale(_ log: ChainLog) throws -> [LintReport.Finding] {
    try log.report([.staleAnswer]).findings
  }

  /// Asks two questions, each by a change that a callback follows.
  private func questions(_ form: ChainLog.Form, _ log: inout ChainLog) -> (older: Int, newer: Int) {
    func ask(_ question: Int) -> Int {
      let change = log.begin(form, "\(question)")
      log.run("Label", cause: change)
      log.run("onChange(app.a)", cause: change)
      log.pass(15)
      return change
    }
    return (ask(1), ask(2))
  }

  @Test(arguments: ChainLog.Form.allCases) func theAnswerToTheOlderQuestionComesLast(form: ChainLog.Form)
    throws
  {
    var log = ChainLog()
    let (older, newer) = questions(form, &log)
    log.set("app.c", #""ap""#, cause: newer)
    log.pass(60)
    let last = log.set("app.c", #""a""#, cause: older)
    let found = try stale(log)
    #expect(found.map(\.events) == [[UInt64(last)]], "\(form)")
    #expect(found.first?.path == "app.c" && found.first?.isNote == false)
    if form == .bare {
      #expect(
        found.first?.message
          == #"The answer to app.a (1) of event \#(older) was app.c ("a") at event \#(last), after that to app.a (2) of event"#
          + #" \#(newer), which came later, had been ("ap") at event \#(last - 1); and that stayed."#)
    }
    var inOrder = ChainLog()
    let asked = questions(form, &inOrder)
    inOrder.set("app.c", #""a""#, cause: asked.older)
    inOrder.set("app.c", #""ap""#, cause: asked.newer)
    #expect(try stale(inOrder).isEmpty, "\(form)")
  }

  @Test func anActionThatACallbackBeginsAnswersToo() throws {
    var log = ChainLog()
    let (older, newer) = questions(.action, &log)
    let (first, second) = (log.action("Search", cause: older), log.action("Search", cause: newer))
    log.set("app.c", #""ap""#, cause: second)
    let last = log.set("app.c", #""a""#, cause: first)
    #expect(try stale(log).map(\.events) == [[UInt64(last)]])
  }

  @Test func whatTheCallbackItselfSetsBackIsFine() throws {
    var log = ChainLog()
    func ask(_ question: Int) -> Int {
      let change = log.begin(.action, "\(question)")
      log.set("app.c", "\(question)", cause: change)
      log.run("onChange(app.a)", cause: change)
      log.pass(15)
      return change
    }
    let (older, newer) = (ask(1), ask(2))
    log.set("app.c", "1", cause: newer)
    log.set("app.c", "0", cause: older)
    #expect(try stale(log).isEmpty)
  }

  /// The older change's task has shown something before the newer one, and goes on.
  @Test func aRefreshThatGoesOnIsFine() throws {
    var log = ChainLog()
    let older = log.begin(.action, "1")
    log.run("onChange(app.a)", cause: older)
    for value in 1...3 {
      log.set("app.c", #""at \#(value)""#, cause: older)
      log.pass(1000)
    }
    let newer = log.begin(.action, "2")
    log.run("onChange(app.a)", cause: newer)
    log.set("app.c", #""pulled""#, cause: newer)
    log.pass(1000)
    log.set("app.c", #""at 5""#, cause: older)
    #expect(try stale(log).isEmpty)
  }

  @Test func answersToDifferentQuestionsAreFine() throws {
    var log = ChainLog()
    let saved = log.begin(.action, "1")
    log.run("onChange(app.a)", cause: saved)
    let selected = log.begin(.action, "2", at: "app.trigger")
    log.run("onChange(app.trigger)", cause: selected)
    log.set("app.c", #""selected""#, cause: selected)
    log.pass(300)
    log.set("app.c", #""saved""#, cause: saved)
    #expect(try stale(log).isEmpty)
  }

  /// The action that began first asks last.
  @Test func theLastQuestionCounts() throws {
    var log = ChainLog()
    let (first, second) = (log.action("Tap"), log.action("Tap"))
    let earlier = log.set("app.a", "1", cause: second)
    log.run("onChange(app.a)", cause: earlier)
    log.pass(15)
    let later = log.set("app.a", "2", cause: first)
    log.run("onChange(app.a)", cause: later)
    log.set("app.c", #""one""#, cause: earlier)
    log.set("app.c", #""two""#, cause: later)
    #expect(try stale(log).filter { $0.path == "app.c" }.isEmpty)
  }
}
