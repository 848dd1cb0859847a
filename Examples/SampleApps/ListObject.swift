import Projection

/// A thousand rows that read a store which announces every change as a change of all of it.
struct ListObject: SampleApp {
  static let name = "list-object"
  static let summary = "Tracking by object: one changed row, and all 1,000 run."

  @Recorded final class Store {
    var rows: [RowModel] = RowModel.seed(count: 1_000)

    func bump(rowID: Int) {
      guard let index = rows.firstIndex(where: { $0.id == rowID }) else { return }
      rows[index].count += 1
    }
  }

  private let store = Store()

  init(in session: Session) {
    session.attach(store, as: "store")
    session.projection("List", tracking: .object) { [store] list in
      for index in store.rows.indices {
        list.child("Row", id: index, input: index) { _ in store.rows[index].line }
      }
      return "\(store.rows.count) rows"
    }
  }

  var steps: [Step] { RowModel.bumps(store.bump) }
}
