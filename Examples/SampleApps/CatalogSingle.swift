import Projection

/// One body reads everything, so that all of it runs after any change.
struct CatalogSingle: SampleApp {
  static let name = "catalog-single"
  static let summary = "One view reads stable and fast properties alike: isLoading re-runs the product list."

  private let catalog = CatalogViewModel()

  init(in session: Session) {
    session.attach(catalog, as: "catalog")
    session.projection("CatalogView", tracking: .property) { [catalog] view in
      let spinner = catalog.isLoading ? "(loading)" : ""
      let searchBar = "[\(catalog.searchQuery)]"
      let products = catalog.products
      view.child("ProductList") { list in
        for product in products {
          list.child("ProductRow", id: product.id) { _ in "\(product.name)  \(product.price)" }
        }
        return "\(products.count) products"
      }
      return spinner + searchBar
    }
  }

  var steps: [Step] { catalog.steps }
}
