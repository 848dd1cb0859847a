import Projection

/// The code of `list-object`, with the store tracked by property.
struct ListProperty: SampleApp {
  static let name = "list-property"
  static let summary = "The code of list-object, tracked by property: the list runs, and 1 row."

  @Recorded final class Store {
    var rows: [RowModel] = RowModel.seed(count: 1_000)
    var isEditing = false

    func bump(rowID: Int) {
      guard let index = rows.firstIndex(where: { $0.id == rowID }) else { return }
      rows[index].count += 1
    }
  }

  private let store = Store()

  init(in session: Session) {
    session.attach(store, as: "store")
    session.projection("List", tracking: .property) { [store] list in
      for row in store.rows {
        list.child("Row", id: row.id, input: row) { _ in (store.isEditing ? "= " : "") + row.line }
      }
      return "\(store.rows.count) rows"
    }
  }

  var steps: [Step] { RowModel.bumps(store.bump) }
}
