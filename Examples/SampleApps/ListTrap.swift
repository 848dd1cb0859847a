import Projection

/// A thousand rows, each of which looks itself up in the store.
struct ListTrap: SampleApp {
  static let name = "list-trap"
  static let summary = "Tracking by property, each row reads store.rows[index]: all 1,000 run."

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
    session.projection("List", tracking: .property) { [store] list in
      for index in store.rows.indices {
        list.child("Row", id: index, input: index) { _ in store.rows[index].line }
      }
      return "\(store.rows.count) rows"
    }
  }

  var steps: [Step] { RowModel.bumps(store.bump) }
}
