import Projection

/// The catalog of `catalog-single` as small views, each of which reads what it needs.
struct CatalogSplit: SampleApp {
  static let name = "catalog-split"
  static let summary = "The fix of catalog-single: each part reads its own property, and runs alone."

  private let catalog = CatalogViewModel()

  init(in session: Session) {
    session.attach(catalog, as: "catalog")
    session.projection("CatalogView", tracking: .property) { [catalog] view in
      view.child("LoadingIndicator") { _ in catalog.isLoading ? "(loading)" : "" }
      view.child("CatalogSearchBar") { _ in "[\(catalog.searchQuery)]" }
      view.child("ProductList") { list in
        for product in catalog.products {
          list.child("ProductRow", id: product.id, input: product) { _ in
            "\(product.name)  \(product.price)"
          }
        }
        return "\(catalog.products.count) products"
      }
      return "catalog"
    }
  }

  var steps: [Step] { catalog.steps }
}
