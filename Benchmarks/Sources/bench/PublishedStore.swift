import OpenCombine

/// `ObservableStore` in the form that was usual before the standard library had observation.
final class PublishedStore: ObservableObject {
  @OpenCombine.Published var rows: [Row] = []
  @OpenCombine.Published var number = 0
}
