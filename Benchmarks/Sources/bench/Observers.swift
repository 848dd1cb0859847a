import Observation

/// An observer as a view is on the standard library: it reads, and reads again after a notice.
///
/// The notice comes before the new value is stored, so ``settle()`` does the reading, as the next frame does for a
/// view.
final class Rearming: @unchecked Sendable {
  private let read: () -> Void
  private var isDue = false
  private(set) var runs = 0

  init(_ read: @escaping () -> Void) {
    self.read = read
    arm()
  }

  private func arm() {
    runs += 1
    withObservationTracking(read) { [unowned self] in isDue = true }
  }

  /// Reads again if a notice came.
  func settle() {
    guard isDue else { return }
    isDue = false
    arm()
  }
}

/// Keeps the optimizer from dropping a value.
@inline(never)
func consume<T>(_ value: T) {}
