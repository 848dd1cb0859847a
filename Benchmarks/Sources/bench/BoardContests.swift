import BenchSupport
import Observation
import Projection

/// A board of columns of cards, in plain arrays, as many apps have them.
private protocol BoardModel: AnyObject {
  associatedtype Column: ColumnModel
  var columns: [Column] { get }
  var selected: Column.Card? { get set }
  init(columns: [Column])
}

private protocol ColumnModel: AnyObject {
  associatedtype Card: CardModel
  var cards: [Card] { get set }
  init(cards: [Card])
}

private protocol CardModel: AnyObject {
  var title: String { get }
  var isDone: Bool { get set }
  init(number: Int)
}

extension BoardModel {
  /// A board of six columns of a hundred cards.
  static func filled() -> Self {
    Self(
      columns: (0..<6).map { column in
        Column(cards: (0..<100).map { Column.Card(number: 100 * column + $0) })
      })
  }

  /// The value of a view over all cards.
  func countOpen() -> Int { columns.reduce(0) { $0 + $1.cards.count { !$0.isDone } } }
}

@Observable private final class ObservableCard: CardModel {
  var title: String
  var isDone: Bool
  init(number: Int) { (title, isDone) = ("Card \(number)", number % 3 == 0) }
}

@Observable private final class ObservableColumn: ColumnModel {
  var cards: [ObservableCard]
  init(cards: [ObservableCard]) { self.cards = cards }
}

@Observable private final class ObservableBoard: BoardModel {
  var columns: [ObservableColumn]
  var selected: ObservableCard?
  init(columns: [ObservableColumn]) { self.columns = columns }
}

@Recorded private final class RecordedCard: CardModel {
  var title: String
  var isDone: Bool
  init(number: Int) { (title, isDone) = ("Card \(number)", number % 3 == 0) }
}

@Recorded private final class RecordedColumn: ColumnModel {
  var cards: [RecordedCard]
  init(cards: [RecordedCard]) { self.cards = cards }
}

@Recorded private final class RecordedBoard: BoardModel {
  var columns: [RecordedColumn]
  var selected: RecordedCard?
  init(columns: [RecordedColumn]) { self.columns = columns }
}

/// The edits that a person makes on a board.
private enum BoardAction: String, CaseIterable {
  case append = "append a card"
  case move = "move a card to another column"
  case select = "assign a card to a property"
  case finish = "set a Bool of a card"

  func perform<Board: BoardModel>(on board: Board, _ turn: Int) {
    let column = board.columns[turn % 6]
    switch self {
    case .append: column.cards.append(Board.Column.Card(number: 1_000 + turn))
    case .move: board.columns[(turn + 1) % 6].cards.insert(column.cards.removeLast(), at: 0)
    case .select: board.selected = column.cards[turn % 50]
    case .finish: column.cards[turn % 50].isDone.toggle()
    }
  }

  func contest(_ operations: Int) -> Contest {
    let bytes = LogSize()
    return Contest(
      title: "board of 600 objects in plain arrays, a view over all: \(rawValue)", operations: operations,
      contenders: [
        Contest.Contender(name: "@Observable, withObservationTracking re-armed") { count in
          let board = ObservableBoard.filled()
          let views = [
            Rearming { consume(board.countOpen()) }, Rearming { consume(board.selected?.title) },
          ]
          return {
            for turn in 0..<count {
              perform(on: board, turn)
              for view in views { view.settle() }
            }
            precondition(views[0].runs + views[1].runs == count + 2)
          }
        },
        Contest.Contender(name: "@Recorded, session that records nothing") { count in
          let session = Session()
          return watched(in: session, count) { consume(session) }
        },
        Contest.Contender(name: "@Recorded, recorded to a file", note: { bytes.text }) { count in
          let recording = try RecordingSession()
          bytes.noteAtEnd(recording, count)
          return watched(in: recording.session, count) { consume(recording) }
        },
      ])
  }

  private func watched(in session: Session, _ count: Int, _ end: @escaping () -> Void) -> () -> Void {
    let board = RecordedBoard.filled()
    session.attach(board, as: "board")
    session.projection("Count") { _ in board.countOpen() }
    session.projection("Selected") { _ in board.selected?.title }
    return {
      for turn in 0..<count { perform(on: board, turn) }
      end()
    }
  }
}

extension Contest {
  /// A person's edits on a board of columns, with a view that counts over all cards and a view of the
  /// selected card.
  static func board(_ operations: Int) -> [Contest] { BoardAction.allCases.map { $0.contest(operations) } }
}
