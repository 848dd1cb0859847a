import Projection

struct Line: Identifiable, Equatable {
  var id: Int
  var count = 0
}

@Recorded final class Shop {
  var lines: RecordedArray<Line> = [Line(id: 1), Line(id: 2), Line(id: 42)]
  var filter = ""
  var level = 0.0
  var isOpen = false
  var visits = 0
  @Redacted var token = ""
}

/// A shop whose list, rows and number of counted lines are projected.
struct ShopSession {
  let session: Session
  let shop = Shop()

  init(_ session: Session = Session()) {
    let shop = shop
    self.session = session
    session.attach(shop, as: "shop")
    let counted = session.derived("counted") { shop.lines.count { $0.count > 0 } }
    session.projection("List") { list in
      _ = shop.filter
      for (_, id) in zip(shop.lines.indices, [1, 2, 42, 43, 44, 45]) {
        list.child("Row", id: id, input: id) { row in
          _ = shop.lines[id: id]?.count
          row.child("Label") { _ in "\(id)" }
        }
      }
    }
    session.projection("Badge") { _ in counted.value }
  }
}
