import Synchronization

// Since Swift 6.4 the standard library tells in public of what has been set (SE-0506). Before, it does so only for SwiftUI, whose
// interface others may use where the library comes with the program: not on Apple's systems.
#if compiler(>=6.4) || canImport(Darwin)
  import Observation
#else
  @_spi(SwiftUI) import Observation
#endif

/// An observation that is told before and after each set of what it has read, on the thread that sets, until it is cancelled.
///
/// The objects that were read hold what is called, and the observation does not hold them.
final class SetObservation: Sendable {
  private let bell = Bell()
  private let isCancelled = Atomic<Bool>(false)

  /// Whether the standard library has such observations here.
  static var isAvailable: Bool {
    #if compiler(>=6.4) || !canImport(Darwin)
      true
    #else
      false
    #endif
  }

  /// Runs code and observes what it reads.
  ///
  /// - Parameters:
  ///   - keyPath: The property that is meant.
  ///   - willSet: Called before a set.
  ///   - didSet: Called after it, with whether the property itself was set, and not a part of what it is computed from.
  func begin<Object: Observable, Member>(
    _ keyPath: KeyPath<Object, Member>, _ read: () -> Void, willSet: @escaping @Sendable () -> Void,
    didSet: @escaping @Sendable (_ isItself: Bool) -> Void
  ) {
    let meant: any MeantProperty = KeyPathMeant(keyPath: keyPath)
    #if compiler(>=6.4)
      withObservationTracking(options: [.willSet, .didSet]) { [bell] in
        bell.hear()
        read()
      } onChange: { [self] event in
        if isCancelled.load(ordering: .acquiring) { return event.cancel() }
        if event.kind == .willSet { willSet() } else { didSet(meant.isSet(by: event)) }
      }
    #elseif !canImport(Darwin)
      withObservationTracking { [bell] in
        bell.hear()
        read()
      } willSet: { [self] tracking in
        if isCancelled.load(ordering: .acquiring) { return tracking.cancel() }
        willSet()
      } didSet: { [self] tracking in
        if isCancelled.load(ordering: .acquiring) { return tracking.cancel() }
        didSet(meant.isSet(by: tracking))
      }
    #else
      preconditionFailure("the standard library has no such observations here; see isAvailable")
    #endif
  }

  /// Ends it. Of a set that is under way it is not told any more.
  func cancel() {
    isCancelled.store(true, ordering: .releasing)
    bell.ring()
  }
}

/// A property, for code that must not depend on its types.
private protocol MeantProperty: Sendable {
  #if compiler(>=6.4)
    func isSet(by event: borrowing ObservationTracking.Event) -> Bool
  #elseif !canImport(Darwin)
    func isSet(by tracking: ObservationTracking) -> Bool
  #endif
}

/// A key path that is only compared, so any thread may use it.
private struct KeyPathMeant<Object: Observable, Member>: MeantProperty, @unchecked Sendable {
  let keyPath: KeyPath<Object, Member>

  #if compiler(>=6.4)
    func isSet(by event: borrowing ObservationTracking.Event) -> Bool { event.matches(keyPath) }
  #elseif !canImport(Darwin)
    func isSet(by tracking: ObservationTracking) -> Bool { tracking.changed == keyPath }
  #endif
}
