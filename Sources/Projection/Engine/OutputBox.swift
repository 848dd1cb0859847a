/// The output of a node's last run.
///
/// It is behind a pointer: an `Optional` of a type known only at run time costs a search for its metadata at every touch,
/// an eighth of waking a projection.
final class OutputBox<Output> {
  private let storage = UnsafeMutablePointer<Output>.allocate(capacity: 1)
  /// Whether there was a run.
  @exclusivity(unchecked) private(set) var isSet = false

  /// The output; nil before the first run.
  var value: Output? { isSet ? storage.pointee : nil }

  /// The output of a run that there was.
  var known: Output { storage.pointee }

  /// Puts an output in the place of the last.
  func set(_ new: Output) {
    if isSet { storage.pointee = new } else { storage.initialize(to: new) }
    isSet = true
  }

  /// Whether an output differs from the last, where that can be told.
  func differs(_ new: Output) -> Bool? {
    isSet ? isSame(storage.pointee, new).map { !$0 } : true
  }

  deinit {
    if isSet { storage.deinitialize(count: 1) }
    storage.deallocate()
  }
}
