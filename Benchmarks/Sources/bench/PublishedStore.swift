import OpenCombine

/// `ObservableStore` as it was written before the standard library observed.
final class PublishedStore: ObservableObject {
  @OpenCombine.Published var rows: [Row] = []
  @OpenCombine.Published var number = 0
}
