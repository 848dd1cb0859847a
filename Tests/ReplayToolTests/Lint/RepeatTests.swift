import LogGenerator
import Projection
import Testing

@testable import ReplayAnalysis
@testable import ReplayTool

/// What is made, set or run again though once would do is found in whichever form an app makes its writes, and its price is
/// the number of runs that the program makes too many.
@Suite @MainActor struct RepeatTests {
  @Recorded final class Board {
    var tick = 0
    var count = 0
    var level = 0
    var isOpen = false
    var lines: [Line] = (0..<12).map { Line(id: $0, text: "line \($0)") }
    var rows = RecordedArray((0..<12).map { Row(id: $0, text: "row \($0)") })
    var card = Card()
    var cards: RecordedArray<Card> = []
  }

  @Recorded final class Card { var title = "" }

  /// Without `==`, so that each counts as another.
  struct Line {
    var id: Int
    var text: String
  }

  struct Row: Identifiable, Equatable {
    var id: Int
    var text: String
  }

  /// What lint says of a program in a form; notes are left out.
  private func findings(
    _ name: String, _ form: Form, _ body: @MainActor (FormedProgram, Board) async -> Void
  ) async throws -> [LintReport.Finding] {
    let workspace = try Workspace()
    let log = try await FormedProgram.log(in: workspace, name, form) { program in
      let board = Board()
      program.session.attach(board, as: "board")
      await body(program, board)
    }
    return try LintReport.of(log).findings.filter { !$0.isNote }
  }

  /// The runs that a finding promises to save.
  private func saved(_ finding: LintReport.Finding?) -> Int? {
    guard let finding, let baseline = finding.baseline, let predicted = finding.predicted else { return nil }
    return baseline.runs - predicted.runs
  }

  // MARK: Rows under other names

  private func list(_ form: Form, id: @escaping (_ row: Int, _ tick: Int) -> String) async throws
    -> [LintReport.Finding]
  {
    try await findings("list", form) { program, board in
      program.session.projection("List") { list in
        let tick = board.tick
        for row in 0..<10 { list.child("Row", id: id(row, tick), input: row) { _ in "row \(row)" } }
        return "\(tick)"
      }
      for tick in 1...20 {
        await program.event("Tick") { board.tick = 100 + tick }
        await program.wait(120)
      }
    }
  }

  @Test(arguments: Form.allCases) func rowsThatEachRunGivesOtherIDsAreFound(form: Form) async throws {
    let found = try await list(form) { "\($0)-\($1)" }
    #expect(found.map(\.rule) == [.madeAnew], "\(found.map(\.message))")
    #expect(found.first?.projection == "Row")
    #expect(found.first?.path == "board.tick")
    #expect(found.first?.evidence.evaluations == 200)
    #expect(found.first?.evidence.writes == 20)
    #expect(saved(found.first) == 200)
    #expect(
      found.first?.message
        == "List made 200 Rows anew where 10 live: each of 20 runs gave them other ids, as Row#0-101 in place of Row#0-0, whose"
        + " id has board.tick in it.")
    #expect(try await list(form) { row, _ in "\(row)" }.isEmpty)
  }

  private func posts(
    _ form: Form, details: Int = 0, id: @escaping (Row) -> String
  ) async throws -> [LintReport.Finding] {
    try await findings("posts", form) { program, board in
      program.session.projection("List") { list in
        for row in board.rows {
          list.child("Post", id: id(row), input: row) { post in
            for detail in 0..<details {
              post.child("Detail", id: "\(id(row)) \(detail)", input: row.id) { _ in "\(detail)" }
            }
            return row.text
          }
        }
        return "\(board.rows.count)"
      }
      for step in 0..<24 {
        await program.event("Like") { board.rows[step % 12].text += "!" }
        await program.wait(120)
      }
    }
  }

  @Test(arguments: Form.allCases) func rowsThatAreNamedByWhatTheyShowAreFound(form: Form) async throws {
    let found = try await posts(form) { "\($0.id) \($0.text)" }
    #expect(found.map(\.rule) == [.madeAnew], "\(found.map(\.message))")
    #expect(found.first?.projection == "Post")
    #expect(found.first?.path == "board.rows[*].text")
    #expect(found.first?.evidence.evaluations == 24)
    // The rows show something else, so none of their runs is saved.
    #expect(found.first?.changes.isEmpty == true)
    #expect(saved(found.first) == 0)
    #expect(found.first?.message.contains("as Post#0 row 0! in place of Post#0 row 0:") == true)
    #expect(try await posts(form) { "\($0.id)" }.isEmpty)
  }

  /// What a row has within it shows the same, and is made anew with it: 3 in each of 24 rows.
  @Test(arguments: Form.allCases) func whatIsMadeAnewWithinRowsIsTheirPrice(form: Form) async throws {
    let found = try await posts(form, details: 3) { "\($0.id) \($0.text)" }
    let rows = found.first { $0.projection == "Post" }
    #expect(rows?.rule == .madeAnew, "\(found.map(\.message))")
    #expect(saved(rows) == 72)
    #expect(try await posts(form, details: 3) { "\($0.id)" }.isEmpty)
  }

  /// The rows that a window shows move on, and those that it no longer shows end.
  @Test(arguments: Form.allCases) func rowsThatComeAndGoAreNotMadeAnew(form: Form) async throws {
    let found = try await findings("window", form) { program, board in
      program.session.projection("Window") { list in
        for row in board.rows.suffix(8) { list.child("Row", id: row.id, input: row) { _ in row.text } }
        return "\(board.rows.count)"
      }
      for step in 0..<24 {
        await program.event("Append") { board.rows.append(Row(id: 12 + step, text: "row \(12 + step)")) }
        await program.wait(120)
      }
    }
    #expect(found.isEmpty, "\(found.map(\.message))")
  }

  /// Each answer of a server has the same rows but one.
  private func answers(
    _ form: Form, _ change: @escaping (_ board: Board, _ answer: Int, _ changed: Int) -> Void
  ) async throws -> [LintReport.Finding] {
    try await findings("answers", form) { program, board in
      program.session.projection("List") { list in
        for id in board.rows.ids { list.child("Row", id: id, input: id) { _ in board.rows[id: id].text } }
        return "\(board.rows.ids)"
      }
      for answer in 1...20 {
        await program.event("Load") { change(board, answer, answer % 12) }
        await program.wait(400)
      }
    }
  }

  @Test(arguments: Form.allCases) func rowsOfElementsThatGetOtherIDsAreFound(form: Form) async throws {
    let found = try await answers(form) { board, answer, changed in
      var rows = board.rows.elements
      rows[changed].text = "answer \(answer)"
      board.rows = RecordedArray(rows.enumerated().map { Row(id: 100 * answer + $0, text: $1.text) })
    }
    #expect(found.map(\.rule) == [.madeAnew], "\(found.map(\.message))")
    #expect(found.first?.projection == "Row" && found.first?.path == "board.rows")
    // All rows are made anew each time, and one would have to run.
    #expect(saved(found.first) == 20 * 11)
    let merged = try await answers(form) { board, answer, changed in
      board.rows[changed].text = "answer \(answer)"
    }
    #expect(merged.isEmpty, "\(merged.map(\.message))")
    let others = try await answers(form) { board, answer, _ in
      board.rows = RecordedArray((0..<12).map { Row(id: 100 * answer + $0, text: "\(answer) \($0)") })
    }
    #expect(others.isEmpty, "\(others.map(\.message))")
  }

  // MARK: Registered again

  private func handlers(
    _ form: Form, isRemoved: Bool, opensTransactions: Bool = false
  ) async throws -> [LintReport.Finding] {
    try await findings("handlers", form) { program, board in
      program.session.projection("Badge") { "\(board.count)" }
      final class Handlers { var all: [@MainActor () -> Void] = [] }
      let handlers = Handlers()
      for _ in 0..<12 {
        await program.event("Appear") {
          if isRemoved { handlers.all = [] }
          handlers.all.append {
            if opensTransactions {
              program.session.transaction("Count") { board.count += 1 }
            } else {
              board.count += 1
            }
          }
        }
        await program.wait(40)
        await program.event("Notify") { for handler in handlers.all { handler() } }
        await program.wait(40)
      }
    }
  }

  @Test(arguments: Form.allCases) func handlersThatAreRegisteredAgainAreFound(form: Form) async throws {
    let found = try await handlers(form, isRemoved: false)
    #expect(found.map(\.rule) == [.madeAgain], "\(found.map(\.message))")
    #expect(found.first?.path == "board.count")
    #expect(found.first?.evidence.writes == 78)
    #expect(found.first?.message.contains("once the first time and 12 times the last") == true)
    switch form {
    // The sets of a transaction, or of a callback, run what reads them once.
    case .transaction, .callback: #expect(found.first?.predicted == nil)
    default: #expect(saved(found.first) == 66)
    }
    if form == .action || form == .task {
      #expect(found.first?.message.hasPrefix("Notify set board.count once") == true)
      #expect(found.first?.message.contains("the last, one more after each Appear:") == true)
    }
    #expect(try await handlers(form, isRemoved: true).isEmpty)
  }

  @Test(arguments: [Form.bare, .action, .task]) func handlersThatEachOpenATransactionAreFound(form: Form)
    async throws
  {
    let found = try await handlers(form, isRemoved: false, opensTransactions: true)
    #expect(found.map(\.rule) == [.madeAgain], "\(found.map(\.message))")
    #expect(found.first?.path == "board.count")
    #expect(found.first?.evidence.writes == 78)
    #expect(saved(found.first) == 66)
    #expect(try await handlers(form, isRemoved: true, opensTransactions: true).isEmpty)
  }

  /// Each visit shows another card, and listens to it.
  @Test(arguments: Form.allCases, [true, false])
  func callbacksOfObjectsThatAreGoneAreFound(form: Form, isCancelled: Bool) async throws {
    let found = try await findings("cards", form) { program, board in
      program.session.projection("Title") { board.card.title }
      var cards: [Card] = []
      for visit in 0..<10 {
        let card = Card()
        cards.append(card)
        await program.event("Open") { board.card = card }
        let listening = program.session.onChange(of: \.title, in: card) { _, _ in }
        await program.wait(120)
        await program.event("Rename") { card.title = "card \(visit)" }
        await program.wait(120)
        if isCancelled { listening.cancel() }
      }
      withExtendedLifetime(cards) {}
    }
    #expect(found.map(\.rule) == (isCancelled ? [] : [.madeAgain]), "\(found.map(\.message))")
  }

  /// Each visit opens one of the cards that there are, or makes one, and listens to it. Then all of them change.
  private func visits(_ form: Form, makesCards: Bool = false, isCancelled: Bool = false) async throws
    -> [LintReport.Finding]
  {
    try await findings("visits", form) { program, board in
      board.cards = RecordedArray((0..<12).map { _ in Card() })
      program.session.projection("Titles") { board.cards.map(\.title) }
      for visit in 0..<12 {
        let card = makesCards ? Card() : board.cards[visit]
        if makesCards { await program.event("Add") { board.cards.append(card) } }
        let listening = program.session.onChange(of: \.title, in: card, name: "onChange(Card.title)") {
          _, _ in
        }
        await program.wait(120)
        await program.event("Rename") { for card in board.cards { card.title = "visit \(visit)" } }
        await program.wait(120)
        if isCancelled { listening.cancel() }
      }
    }.filter { $0.rule == .madeAgain }
  }

  @Test(arguments: Form.allCases) func callbacksOfObjectsThatWereThereBeforeAreFound(form: Form) async throws
  {
    let found = try await visits(form)
    #expect(found.map(\.projection) == ["onChange(Card.title)"], "\(found.map(\.message))")
    #expect(found.first?.message.contains("ran up to 12 of them") == true, "\(found.map(\.message))")
    // One after each visit but the first would do: 0 + 1 + ... + 11.
    #expect(saved(found.first) == 66)
    #expect(try await visits(form, isCancelled: true).isEmpty)
    // What is made with its object lives as long as that.
    #expect(try await visits(form, makesCards: true).isEmpty)
  }

  // MARK: Loops through time

  private func echo(_ form: Form, every pause: Int) async throws -> [LintReport.Finding] {
    try await findings("echo", form) { program, board in
      program.session.projection("View") { "\(board.level)" }
      @MainActor func tell() {
        program.start { program in
          guard await program.sleep(pause) else { return }
          board.level = board.level
          tell()
        }
      }
      await program.event("Open") {
        board.level = 1
        tell()
      }
      await program.wait(400 * pause)
    }
  }

  @Test(arguments: Form.allCases) func aSetThatLeadsToTheSameSetLongAfterIsFound(form: Form) async throws {
    let found = try await echo(form, every: 4)
    #expect(found.map(\.rule) == [.selfWake], "\(found.map(\.message))")
    #expect(found.first?.path == "board.level")
    #expect(found.first?.evidence.writes == 401)
    #expect(found.first?.message.contains("a set of board.level every 4.") == true)
    if form == .action || form == .task {
      #expect(found.first?.message.hasPrefix(#""Open" (event "#) == true)
      #expect(found.first?.message.contains(" ago and still leads to ") == true)
    }
    // Somebody who asks ten times a second may be told the same.
    #expect(try await echo(form, every: 100).isEmpty)
  }

  private func chase(_ form: Form, endsAfter last: Int) async throws -> [LintReport.Finding] {
    try await findings("chase", form) { program, board in
      program.session.projection("View") { "\(board.level)" }
      program.session.onChange(of: \.level, in: board) { _, new in
        program.start { program in
          guard await program.sleep(80), new < last else { return }
          board.level = new + 1
        }
      }
      await program.event("Open") { board.level = 1 }
      await program.wait(2_400)
    }
  }

  @Test(arguments: Form.allCases) func aCallbackWhoseTaskSetsWhatItFollowsIsFound(form: Form) async throws {
    let found = try await chase(form, endsAfter: .max)
    #expect(found.map(\.rule) == [.selfWake], "\(found.map(\.message))")
    #expect(found.first?.path == "board.level")
    #expect(found.first?.projection == "onChange(board.level)")
    #expect(found.first.map { (29...31).contains($0.evidence.writes) } == true)
    // Each set runs the view and the callback.
    #expect(saved(found.first).map { (58...62).contains($0) } == true)
    // A few sets in a row, as of something that counts down.
    #expect(try await chase(form, endsAfter: 4).isEmpty)
  }

  // MARK: Bodies without a value

  @Test(arguments: Form.allCases) func aBodyWithoutAValueIsJudgedAsOneWithAnEqualValue(form: Form)
    async throws
  {
    func feed(_ hasValue: Bool) async throws -> [LintReport.Finding] {
      try await findings("feed\(hasValue)", form) { program, board in
        @MainActor func rows(_ feed: Scope) {
          for line in board.lines { feed.child("Line", id: line.id, input: line) { _ in line.text } }
        }
        if hasValue {
          program.session.projection("Feed") { feed in
            rows(feed)
            return "12 lines"
          }
        } else {
          program.session.projection("Feed") { feed in rows(feed) }
        }
        for _ in 0..<20 {
          await program.event("Fetch") { board.lines = (0..<12).map { Line(id: $0, text: "line \($0)") } }
          await program.wait(120)
        }
        // How long comparing takes is of the machine.
      }.filter { $0.rule != .slowComparison }
    }
    let (without, with) = (try await feed(false), try await feed(true))
    #expect(without.map(\.message) == with.map(\.message))
    #expect(without.map(\.evidence.evaluations) == with.map(\.evidence.evaluations))
    #expect(without.map(\.evidence.wasted) == with.map(\.evidence.wasted))
    #expect(without.map { saved($0) } == with.map { saved($0) })
    #expect(without.map(\.rule) == [.notEquatable], "\(without.map(\.message))")
    #expect(without.first?.evidence.wasted == 20)
    #expect(saved(without.first) == 20)
  }

  // MARK: Hosts

  @Test(arguments: Form.allCases) func aHostThatRunsWhatIsCurrentIsFound(form: Form) async throws {
    func frames(_ asks: Bool) async throws -> [LintReport.Finding] {
      try await findings("frames\(asks)", form) { program, board in
        let rows = (0..<10).map { program.session.hosted("Row", id: $0) }
        for frame in 0..<100 {
          if frame % 10 == 9 { await program.event("Tap") { board.count += 1 } }
          for (index, row) in rows.enumerated() {
            if asks, row.isCurrent(for: 0) { continue }
            row.run(input: 0) { index == 0 ? board.count : index }
          }
          program.session.endHostTurn()
          await program.wait(16)
        }
      }
    }
    let found = try await frames(false)
    #expect(found.map(\.rule) == [.hostRuns], "\(found.map(\.message))")
    #expect(found.first?.projection == "Row")
    #expect(found.first?.evidence.evaluations == 980)
    #expect(saved(found.first) == 980)
    #expect(try await frames(true).isEmpty)
  }
}
