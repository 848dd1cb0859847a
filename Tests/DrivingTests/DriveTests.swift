import EventLog
import Foundation
import Projection
import Testing

@Recorded private final class Shop {
  var title = ""
  var level = 0.5
  var isOpen = false
  var note: String?
  var kind = Kind.small
  var size = Size()
  var tags: [String] = []
  var items: [Item] = []
  var rows: RecordedArray<Item> = []
  var prices: [String: Double] = [:]
  var stock: RecordedDictionary<String, Item> = [:]
  var numbers: Set<Int> = []
  var orders: RecordedArray<Order> = []
  var plain: [Order] = []
  var byName: RecordedDictionary<String, Order> = [:]
  var selected: Order?
  var total = 0
  var log = ""

  enum Kind: String, Codable { case small, large }
}

private struct Size: Codable, Equatable {
  var width = 1
  var name = "m"
}

private struct Item: Codable, Equatable, Identifiable {
  var id: Int
  var name = ""
  var count = 0
}

@Recorded private final class Order: Identifiable {
  let id: Int
  var text = ""
  var next: Order?

  init(id: Int) { self.id = id }
}

/// The changes of a shop, made by hand.
private let scripts: [String: @Sendable (Shop, Session) -> Void] = [
  "scalars": { shop, _ in
    shop.title = "a"
    shop.title = "a"
    shop.title = String(repeating: "long text ", count: 20)
    shop.title += "!"
    shop.title = shop.title
    shop.level = 0.25
    shop.level = .nan
    shop.level = .nan
    shop.isOpen.toggle()
    shop.note = "x"
    shop.note = nil
    shop.note = nil
    shop.kind = .large
    shop.size.width = 3
    shop.size.width = 3
    shop.size = Size(width: 4, name: "xl")
    shop.size = Size(width: 4, name: "xl")
  },
  "arrays": { shop, _ in
    shop.tags = ["a", "b", "c"]
    shop.tags.append("d")
    shop.tags.remove(at: 1)
    shop.tags[0] = "z"
    shop.tags = shop.tags
    shop.tags = []
    shop.items = (0..<5).map { Item(id: $0) }
    shop.items[2].count += 1
    shop.items[2].name = "two"
    shop.items.remove(at: 0)
    shop.items = [Item(id: 4), Item(id: 2, name: "two"), Item(id: 7)]
    shop.items.swapAt(0, 1)
    shop.numbers.insert(3)
    shop.numbers.insert(1)
    shop.numbers.remove(3)
  },
  "recorded arrays": { shop, _ in
    shop.rows = RecordedArray((0..<20).map { Item(id: $0) })
    shop.rows[3].count += 1
    shop.rows[id: 7]?.name = "seven"
    shop.rows[id: 7]?.name = "seven"
    shop.rows.append(Item(id: 30))
    shop.rows.remove(at: 0)
    shop.rows.swapAt(1, 2)
    shop.rows[4] = Item(id: 40, name: "forty", count: 2)
    shop.rows.sort { $0.id > $1.id }
    shop.rows.insert(Item(id: 99), at: 5)
    shop.rows.removeAll { $0.id.isMultiple(of: 3) }
    shop.rows.merge([Item(id: 1, name: "one"), Item(id: 2), Item(id: 50)])
    shop.rows[id: 2] = nil
    shop.rows.removeAll()
  },
  "dictionaries": { shop, _ in
    shop.prices = ["a": 1, "b": 2]
    shop.prices["a"] = 3
    shop.prices["c"] = 4
    shop.prices["b"] = nil
    shop.prices["b"] = nil
    shop.stock = ["x": Item(id: 1)]
    shop.stock["x"]?.count += 1
    shop.stock["y"] = Item(id: 2)
    shop.stock["x"] = nil
    shop.stock["nothing"] = nil
    shop.stock.removeAll()
  },
  "objects": { shop, _ in
    shop.orders.append(Order(id: 1))
    shop.orders.append(Order(id: 2))
    shop.orders[id: 1]?.text = "first"
    shop.orders[1].text = "second"
    shop.selected = shop.orders[0]
    shop.selected?.text = "selected"
    shop.selected?.next = Order(id: 3)
    shop.selected?.next?.text = "next"
    shop.selected?.next?.next = shop.selected
    shop.orders.remove(at: 0)
    shop.selected?.text = "still here"
    shop.byName["a"] = shop.selected
    shop.selected = nil
    shop.byName["a"]?.text = "by name"
    shop.plain = [Order(id: 4), Order(id: 5)]
    shop.plain[1].text = "five"
    shop.plain.swapAt(0, 1)
    shop.plain.append(shop.plain[0])
    shop.orders.swapAt(0, 0)
    shop.orders.insert(Order(id: 6), at: 0)
    shop.orders.move(fromOffsets: [0], toOffset: 2)
  },
  "merges": { shop, _ in
    shop.orders = RecordedArray((1...4).map { Order(id: $0) })
    for name in ["new", "other"] {
      // The writes of the closures are made together with the merge.
      shop.orders.merge([4, 2, 7].map { Item(id: $0, name: name) }) { order, item in
        order.text = item.name
        order.next = Order(id: 50 + item.id)
      } insert: {
        Order(id: $0.id)
      }
    }
    shop.orders[id: 7]?.text = "seven"
  },
  "transactions": { shop, session in
    session.transaction("refresh") {
      shop.title = "x"
      shop.title = "y"
      session.transaction { shop.level = 1 }
      shop.rows = [Item(id: 1)]
    }
    session.mark("tap")
    session.transaction("nothing") {}
    session.transaction("back") {
      shop.isOpen = true
      shop.isOpen = false
    }
  },
]

/// The views of a shop, and callbacks that write.
private func mount(_ shop: Shop, in session: Session) {
  session.projection("Title") { _ in "\(shop.title) \(shop.level)" }
  session.projection("Rows") { view in
    for row in shop.rows {
      view.child("Row", id: row.id) { _ in shop.rows[id: row.id].map { "\($0.name) \($0.count)" } }
    }
    return shop.rows.count
  }
  session.projection("Orders", tracking: .property) { _ in
    shop.orders.map(\.text).joined() + (shop.selected?.text ?? "") + (shop.selected?.next?.text ?? "")
  }
  session.projection("Stock") { _ in shop.stock["x"]?.count ?? -1 }
  session.projection("Object", tracking: .object) { _ in shop.tags.count }
  let sum = session.derived("sum") { shop.items.reduce(0) { $0 + $1.count } + shop.rows.count }
  session.projection("Sum") { _ in sum.value }
  session.onChange(of: \.rows.count, in: shop) { _, new in shop.total = new }
  session.onChange(of: \.total, in: shop) { old, new in
    shop.plain.append(Order(id: 100 + new))
    shop.plain.last?.text = "\(old)"
  }
  session.onReceive(of: \.title, in: shop) { shop.log += "\($0.count)," }
  session.onReceive(of: \.isOpen, in: shop) { _ in session.transaction("open") { shop.log += "o" } }
}

@Suite struct DriveTests {
  @Test(arguments: scripts.keys.sorted())
  func aProgramDrivenThroughItselfHasTheSameLog(script: String) throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    try drive.record { session in
      let shop = Shop()
      shop.title = "new"
      session.attach(shop, as: "shop")
      mount(shop, in: session)
      scripts[script]?(shop, session)
    }
    let problems = try drive.drive { mount(try $0.attach(Shop.self, root: "shop"), in: $0.session) }
    #expect(problems == [])
    #expect(try drive.difference() == nil)
  }

  @Test func aRootThatWasDetachedIsDetachedAgain() throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    try drive.record { session in
      let (shop, other) = (Shop(), Shop())
      session.attach(shop, as: "shop")
      session.attach(other, as: "other")
      mount(shop, in: session)
      other.title = "a"
      session.detach("other")
      shop.title = "b"
      session.attach(other, as: "other")
      other.title = "c"
    }
    let problems = try drive.drive {
      let (shop, _) = (try $0.attach(Shop.self, root: "shop"), try $0.attach(Shop.self, root: "other"))
      mount(shop, in: $0.session)
    }
    #expect(problems == [])
    #expect(try drive.difference() == nil)
  }

  @Test func allScriptsInOneSessionHaveTheSameLog() throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    try drive.record { session in
      let shop = Shop()
      session.attach(shop, as: "shop")
      mount(shop, in: session)
      for name in scripts.keys.sorted() { scripts[name]?(shop, session) }
    }
    // The same as when it is attached by hand.
    let problems = try drive.drive {
      let shop = Shop()
      $0.session.attach(shop, as: "shop")
      mount(shop, in: $0.session)
    }
    #expect(problems == [])
    #expect(try drive.difference() == nil)
  }
}
