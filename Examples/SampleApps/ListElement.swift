import Projection

/// The code of `list-trap`, with another type of the collection, and tracked by element.
struct ListElement: SampleApp {
  static let name = "list-element"
  static let summary = "The code of list-trap over a RecordedArray, tracked by element: 1 row runs."

  @Recorded final class Store {
    var rows: RecordedArray<RowModel> = RecordedArray(RowModel.seed(count: 1_000))

    func bump(rowID: Int) {
      guard let index = rows.firstIndex(where: { $0.id == rowID }) else { return }
      rows[index].count += 1
    }
  }

  private let store = Store()

  init(in session: Session) {
    session.attach(store, as: "store")
    session.projection("List", tracking: .element) { [store] list in
      for index in store.rows.indices {
        list.child("Row", id: index, input: index) { _ in store.rows[index].line }
      }
      return "\(store.rows.count) rows"
    }
  }

  var steps: [Step] { RowModel.bumps(store.bump) }
}
