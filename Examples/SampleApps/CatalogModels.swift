import Projection

struct Product: Identifiable, Equatable, Codable {
  let id: Int
  var name: String
  var price: Int

  static func catalog(count: Int) -> [Product] {
    let things = ["Lamp", "Chair", "Kettle", "Radio", "Clock"]
    return (0..<count).map { Product(id: $0, name: "\(things[$0 % things.count]) \($0)", price: 5 + $0) }
  }
}

@Recorded final class CatalogViewModel {
  var products: [Product] = Product.catalog(count: 40)
  var isLoading = false
  var searchQuery = ""
  var selectedCategory: String?
}

extension CatalogViewModel {
  /// The changes of the catalog, the same for each way of reading it.
  var steps: [Step] {
    [
      Step("load ten times") { [self] in
        for _ in 0..<10 {
          isLoading = true
          isLoading = false
        }
      },
      Step("type a query") { [self] in
        for character in "radio" { searchQuery.append(character) }
      },
      Step("choose a category nobody shows") { [self] in selectedCategory = "Audio" },
      Step("a price changes") { [self] in products[7].price -= 1 },
    ]
  }
}
