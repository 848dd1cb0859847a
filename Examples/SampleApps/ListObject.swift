import Projection

/// A thousand rows, each with its value as input. Their store announces every change as one of
/// the whole object.
struct ListObject: SampleApp {
  static let name = "list-object"
  static let summary = "Tracking by object: one changed row, and all 1,000 run."

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
    session.projection("List", tracking: .object) { [store] list in
      for row in store.rows {
        list.child("Row", id: row.id, input: row) { _ in (store.isEditing ? "= " : "") + row.line }
      }
      return "\(store.rows.count) rows"
    }
  }

  var steps: [Step] { RowModel.bumps(store.bump) }
}
