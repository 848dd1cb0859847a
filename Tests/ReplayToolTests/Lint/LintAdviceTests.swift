import EventLog
import LogGenerator
import Projection
import Testing

@testable import ReplayAnalysis
@testable import ReplayTool

/// What is advised can be followed, and saves what it promises; whichever way the writes were made.
@Suite struct LintAdviceTests {
  /// Where a write comes from.
  enum Form: CaseIterable { case bare, transaction, action, callback, task }

  @Recorded final class Board {
    var selected = 0
    var width = 0
    var height = 0
    var trigger = 0
    var items: RecordedArray<Int> = []
    var cells: [Cell] = []
    var mirror = 0
  }

  struct Cell: Identifiable, Equatable {
    var id: Int
    var text: String
  }

  /// Makes writes in a form.
  private final class Acts {
    private let session: Session
    private let board: Board
    private let form: Form
    private var pending: [() -> Void] = []

    init(_ session: Session, _ board: Board, _ form: Form) {
      (self.session, self.board, self.form) = (session, board, form)
      if form == .callback {
        session.onChange(of: \.trigger, in: board) { [unowned self] _, _ in
          let bodies = pending
          pending = []
          for body in bodies { body() }
        }
      }
    }

    func callAsFunction(_ body: @escaping () -> Void) {
      switch form {
      case .bare: body()
      case .transaction: session.transaction("act", body)
      case .action: session.action("act", body)
      case .callback:
        pending.append(body)
        board.trigger += 1
      case .task:
        // A task goes on for its action once that has returned.
        var cause: SessionCause?
        session.action("act") { cause = session.cause }
        cause?.run(body)
      }
    }
  }

  /// The report of a program, and the events of its log.
  private func recorded(
    _ name: String, _ form: Form = .bare,
    _ program: (Session, Board, @escaping (@escaping () -> Void) -> Void) -> Void
  ) throws -> (report: LintReport, events: [Event]) {
    let workspace = try Workspace()
    let recorded = try RecordedProgram(in: workspace, name) { session in
      let board = Board()
      board.items = RecordedArray(0..<30)
      board.cells = (0..<30).map { Cell(id: $0, text: "\($0)") }
      session.attach(board, as: "board")
      let acts = Acts(session, board, form)
      program(session, board) { acts($0) }
    }
    return (try LintReport.of(recorded.log), try LogSource(path: recorded.log).events(from: 1))
  }

  private func runs(_ events: [Event], of group: String) -> [(changed: Bool?, inputChanged: Bool?)] {
    events.compactMap {
      guard case .evaluate(let name, _, let changed, let inputChanged, _) = $0.body,
        name.projectionGroup == group
      else { return nil }
      return (changed, inputChanged)
    }
  }

  /// Takes a while, beside which nothing else counts.
  private static func work() {
    let end = ContinuousClock.now + .microseconds(200)
    while ContinuousClock.now < end {}
  }

  // MARK: Handing on

  private func picker(
    _ form: Form, showsIt: Bool = false, isDerived: Bool = false
  ) throws -> (report: LintReport, events: [Event]) {
    try recorded("picker", form) { session, board, act in
      let shown = session.derived("shown") { board.selected }
      session.projection("List") { list in
        let selected = isDerived ? shown.value : board.selected
        for row in 0..<30 { list.child("Row", id: row, input: row == selected) { _ in row == selected } }
        Self.work()
        return showsIt ? selected : 30
      }
      for step in 1...40 { act { board.selected = step % 30 } }
    }
  }

  @Test(arguments: Form.allCases) func aListThatOnlyHandsOnWhichRowIsPickedIsToldToLetTheRowsRead(form: Form)
    throws
  {
    let (report, events) = try picker(form)
    let finding = try #require(report.findings.first { $0.rule == .excessReads })
    #expect(finding.projection == "List" && !finding.isNote)
    #expect(finding.changes == [Change(.isolate, "List:board.selected")])
    #expect(finding.advice.contains("Let each Row read a derived value of what it shows of board.selected"))
    let lists = runs(events, of: "List").dropFirst()
    let handed = runs(events, of: "Row").count { $0.inputChanged == true }
    #expect(lists.allSatisfy { $0.changed == false })
    #expect(
      finding.message
        == "List ran \(lists.count) times because of board.selected and drew the same: it only handed Row another input,"
        + " \(handed) times in all.")
  }

  @Test func aListThatShowsWhatItHandsOnIsFine() throws {
    #expect(try picker(.bare, showsIt: true).report.findings.filter { !$0.isNote }.isEmpty)
  }

  /// Rows that each ask which one is picked, or are handed whether they are.
  private func askers(_ form: Form, isMended: Bool, inList: Bool = true) throws -> LintReport {
    try recorded("askers", form) { session, board, act in
      if inList {
        session.projection("List") { list in
          let selected = isMended ? board.selected : -1
          for row in 0..<30 {
            list.child("Row", id: row, input: row == selected) { _ in
              isMended ? row == selected : row == board.selected
            }
          }
          return 30
        }
      } else {
        for row in 0..<30 { session.projection("Row#\(row)") { row == board.selected } }
      }
      for step in 1...40 { act { board.selected = step % 30 } }
    }.report
  }

  @Test(arguments: Form.allCases) func rowsThatEachAskWhichOneIsPickedAreToBeHandedThat(form: Form) throws {
    let report = try askers(form, isMended: false)
    let finding = try #require(report.findings.first { $0.rule == .oneOfMany })
    #expect(finding.projection == "Row" && finding.changes == [Change(.input, "Row:board.selected")])
    let (before, after) = (try #require(finding.baseline), try #require(finding.predicted))
    let real = before.runs - (try askers(form, isMended: true).allRuns)
    #expect(abs(before.runs - after.runs - real) * 5 <= real, "\(before.runs - after.runs) of \(real)")
    let derived = try #require(finding.alternatives.first?.predicted)
    // Derived values are no runs of the app, and are named beside them.
    #expect(derived.runs < after.runs && derived.derivedValues ?? 0 > 1_000)
    // Nobody could hand them anything at the top.
    let alone = try askers(form, isMended: false, inList: false).findings.first { $0.rule == .oneOfMany }
    #expect(alone?.changes == [Change(.derived, "Row:board.selected")])
  }

  /// Another derived value of the same would be read by the same list.
  @Test func noDerivedValueIsAdvisedForOneThatIsDerived() throws {
    let findings = try picker(.bare, isDerived: true).report.findings
    #expect(!findings.contains { $0.changes.contains { $0.kind == .derived } }, "\(findings.map(\.message))")
    #expect(findings.first?.advice.hasPrefix("Let each Row read a derived value") == true)
  }

  // MARK: Rows without inputs

  private func owner(_ form: Form, hasInput: Bool) throws -> LintReport {
    try recorded("owner", form) { session, board, act in
      session.projection("List") { list in
        let selected = board.selected
        for item in board.items.elements {
          if hasInput {
            list.child("Row", id: item, input: item == selected) { _ in item == selected }
          } else {
            list.child("Row", id: item) { _ in item == selected }
          }
        }
        return "\(board.items.elements) \(selected)"
      }
      for step in 0..<20 {
        act { board.selected = board.items[2 + step % 5] }
        act { board.items.remove(at: 0) }
        act { board.items.append(100 + step) }
      }
    }.report
  }

  @Test(arguments: Form.allCases) func aListMustReadWhatItsRowsDependOn(form: Form) throws {
    let report = try owner(form, hasInput: false)
    // Writes without an action come in bursts too, and what these cost depends on how busy the machine is.
    let others: Set<LintRule> = [.callbackChain, .burst]
    let first = try #require(report.findings.first { !others.contains($0.rule) })
    #expect(first.projection == "List" && first.changes == [Change(.input, "Row")], "\(first.message)")
    for finding in report.findings {
      let all = finding.changes + finding.alternatives.flatMap(\.change)
      #expect(!all.contains { $0.kind == .isolate }, "\(finding.message)")
    }
    // One finding for all that the rows lack an input for.
    #expect(report.findings.count { $0.projection == "List" && $0.rule != .callbackChain } == 1)
    let price = try #require(first.predicted)
    let fixed = try owner(form, hasInput: true).allRuns
    #expect(abs(Double(price.runs) / Double(fixed) - 1) < 0.2, "\(price.runs) of \(fixed)")
  }

  @Test(arguments: Form.allCases) func rowsThatAreHandedWhatTheyShowAreFine(form: Form) throws {
    let report = try owner(form, hasInput: true)
    let rules: [LintRule] = [.hotParent, .mixedReads, .changedInput, .excessReads, .oneOfMany]
    #expect(!report.findings.contains { rules.contains($0.rule) }, "\(report.findings.map(\.message))")
  }

  // MARK: Joint prices

  private func canvas(_ form: Form, isMended: Bool) throws -> LintReport {
    try recorded("canvas", form) { session, board, act in
      session.projection("Canvas") { canvas in
        for shape in 0..<12 { canvas.child("Shape", id: shape) { _ in shape } }
        if isMended { canvas.child("Pointer") { _ in "\(board.width) \(board.height)" } }
        return isMended ? "" : "\(board.width) \(board.height)"
      }
      for step in 1...60 {
        act {
          board.width = step
          board.height = 2 * step
        }
      }
    }.report
  }

  /// What a callback sets in one run runs the view for the last path alone.
  @Test(arguments: Form.allCases)
  func pathsThatChangeTogetherAreOneChangeWithOnePrice(form: Form) throws {
    let report = try canvas(form, isMended: false)
    let finding = try #require(report.findings.first { $0.rule == .hotParent })
    #expect(
      Set(finding.changes) == [
        Change(.isolate, "Canvas:board.width"), Change(.isolate, "Canvas:board.height"),
      ])
    #expect(report.findings.count { $0.rule == .hotParent || $0.rule == .mixedReads } == 1)
    // The child that shows them is one, where each of two would run for both.
    let price = try #require(finding.predicted)
    let mended = try canvas(form, isMended: true).allRuns
    #expect(10 * price.runs >= 9 * mended && price.runs <= 2 * mended, "\(price.runs), \(mended)")
    // Another change that would do is beside it, with its price.
    #expect(finding.alternatives.contains { $0.change == [Change(.input, "Shape")] })
  }

  // MARK: Elements of a plain array

  @Test(arguments: Form.allCases) func rowsThatReadAWholeArrayForOneElementAreFoundFirst(form: Form) throws {
    func rows(reading isWhole: Bool) throws -> LintReport {
      try recorded("rows", form) { session, board, act in
        session.projection("List") { list in
          for row in 0..<30 {
            list.child("Row", id: row, input: row) { _ in
              isWhole ? board.cells[row].text : "\(board.items[row])"
            }
          }
          return 30
        }
        for step in 0..<20 {
          act {
            if isWhole { board.cells[step].text = "new \(step)" } else { board.items[step] = 100 + step }
          }
        }
      }.report
    }
    let finding = try #require(try rows(reading: true).findings.first { $0.rule != .callbackChain })
    #expect(finding.rule == .wholeCollection && finding.projection == "Row" && !finding.isNote)
    #expect(finding.changes == [Change(.input, "Row:board.cells")])
    #expect(finding.advice.contains("RecordedArray"))
    let (before, after) = (try #require(finding.baseline), try #require(finding.predicted))
    #expect(before.runs - after.runs >= 20 * 29 - 20)
    #expect(!(try rows(reading: false).findings.contains { $0.rule == .wholeCollection }))
  }

  // MARK: Prices without a change

  @Test func whatNoChangeCanPredictIsPricedByTheRunsThatItIsAbout() throws {
    let (report, events) = try recorded("mirror") { session, board, _ in
      session.projection("Panel") { () -> Int in
        board.mirror = board.selected
        return board.selected
      }
      session.projection("Mirror") { board.mirror }
      for step in 1...30 { board.selected = step }
    }
    let finding = try #require(report.findings.first { $0.rule == .writeInBody })
    let all = events.count { if case .evaluate = $0.body { true } else { false } }
    let (before, after) = (try #require(finding.baseline), try #require(finding.predicted))
    #expect(finding.changes.isEmpty && before.runs == all)
    // The view of what the body writes runs once more for each; the first write makes its first value.
    let mirrors = runs(events, of: "Mirror").count - 1
    #expect(before.runs - after.runs == mirrors)
  }

  // MARK: Callbacks

  @Test func aCallbackWithANameOfItsOwnMayWrite() throws {
    func writer(_ register: (Session, Board) -> Void) throws -> [LintRule] {
      try recorded("named") { session, board, _ in
        register(session, board)
        for step in 1...30 { board.selected = step }
      }.report.findings.filter { !$0.isNote }.map(\.rule)
    }
    #expect(
      try writer { session, board in
        session.onChange(of: \.selected, in: board, name: "Check order") { _, new in board.mirror = new }
      }.isEmpty)
    #expect(
      try writer { session, board in
        session.onReceive(of: \.selected, in: board, name: "Hear order") { new in board.mirror = new }
      }.isEmpty)
    #expect(
      try writer { session, board in
        session.projection("View") { () -> Int in
          board.mirror = board.selected
          return board.selected
        }
      }.contains(.writeInBody))
  }

  @Test func aCallbackThatIsCancelledBeforeTheNextIsMadeIsFine() throws {
    let (report, events) = try recorded("panel") { session, board, _ in
      var handle: ProjectionHandle?
      session.projection("Panel") { () -> Int in
        handle?.cancel()
        handle = session.onChange(of: \.width, in: board) { _, new in board.mirror = new }
        return board.selected
      }
      for step in 1...30 { board.selected = step }
    }
    let made = events.count {
      if case .projection("onChange(board.width)", _, _) = $0.body { true } else { false }
    }
    #expect(made == 31)
    #expect(!report.findings.contains { $0.rule == .madeInBody })
  }

  // MARK: Notes

  @Test func rowsThatEndForWhatPutThemOutOfDateAreNotSaidNeverToRun() throws {
    let (report, events) = try recorded("ending") { session, board, _ in
      session.projection("List") { list in
        for item in board.items.elements {
          list.child("Row", id: item) { _ in board.selected >= 0 ? 0 : item }
        }
        return board.items.count
      }
      for _ in 0..<25 {
        // Each row is put out of date, and the list makes none of them any more.
        session.transaction {
          board.selected += 1
          board.items = []
        }
        board.items = RecordedArray(0..<3)
      }
    }
    #expect(events.contains { if case .dispose = $0.body { true } else { false } })
    #expect(!report.findings.contains { $0.rule == .neverRun })
  }

  @Test func whatIsOnlyAttachedIsNotSaidToBeReadByNobody() throws {
    let (report, _) = try recorded("boxes") { session, board, _ in
      session.projection("View") { board.selected }
      for _ in 0..<150 { session.attach(Board(), as: "box") }
      board.selected = 1
    }
    #expect(!report.findings.contains { $0.rule == .unread })
  }

  // MARK: Load

  /// A machine under load takes longer for everything.
  @Test(arguments: [
    "catalog-single", "catalog-split", "feed-stale", "list-object", "list-trap", "mailbox",
    "episodes-identity",
    "stream-input", "scopes",
  ]) func theVerdictIsTheSameOnASlowAndOnAFastMachine(name: String) throws {
    let workspace = try Workspace()
    let events = try LogSource(path: sample(name)).events(from: 1)
    let found = try [1.0, 0.1, 12].map { factor in
      let log = workspace.file("\(factor).evlog")
      let writer = try LogWriter(creating: log)
      for var event in events {
        if case .evaluate(let projection, let duration, let changed, let inputChanged, _) = event.body {
          event.body = .evaluate(
            projection: projection, duration: UInt64(Double(duration) * factor), changed: changed,
            inputChanged: inputChanged)
        }
        try writer.append(event)
      }
      try writer.close()
      return Set(try LintReport.of(log).findings.map { "\($0.rule) \($0.projection ?? "") \($0.isNote)" })
    }
    #expect(found[1] == found[0])
    #expect(found[2] == found[0])
  }

  @Test func aRecordingFasterThanLifeSaysSoOnce() throws {
    func form(pausing nanoseconds: UInt64) throws -> LintReport {
      let workspace = try Workspace()
      var lines = [
        #"{"kind":"set","path":"form","value":{"name":0,"mail":0,"age":0}}"#,
        #"{"kind":"projection","projection":"Form"}"#,
        #"{"kind":"reads","projection":"Form","paths":["form.name","form.mail","form.age"]}"#,
        #"{"kind":"evaluate","projection":"Form","duration_ns":1000,"changed":true}"#,
      ]
      for step in 1...40 {
        let time = #""time_ns":\#(UInt64(step) * nanoseconds)"#
        lines.append(#"{"kind":"action","label":"Load",\#(time)}"#)
        let action = lines.count
        for field in ["name", "mail", "age"] {
          lines.append(
            #"{"kind":"set","path":"form.\#(field)","value":\#(step),"cause":\#(action),\#(time)}"#)
          let write = lines.count
          lines.append(
            #"{"kind":"evaluate","projection":"Form","duration_ns":1000,"changed":true,"cause":\#(write),\#(time)}"#
          )
        }
        lines.append(#"{"kind":"finish","outcome":"returned","cause":\#(action),\#(time)}"#)
      }
      return try LintReport.of(workspace.log(lines.joined(separator: "\n") + "\n"))
    }
    let person = try form(pausing: 400_000_000)
    #expect(person.notJudged == nil && person.findings.map(\.rule) == [.burst])
    let machine = try form(pausing: 2_000_000)
    #expect(machine.findings.filter { !$0.isNote }.isEmpty)
    #expect(
      machine.notJudged
        == "recorded faster than life: 39 of 40 actions came within 4 ms of the one before, so bursts and floods are"
        + " not judged")
  }
}

extension LintReport {
  /// All runs of a program.
  fileprivate var allRuns: Int { account?.runs ?? 0 }
}
