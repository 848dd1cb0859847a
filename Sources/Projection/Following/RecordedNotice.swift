import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Whether the current thread is announcing the change of a recorded object to the standard library's observers. Among these
/// are runs of nodes, which the session itself invalidates for that change.
enum RecordedNotice {
  nonisolated(unsafe) private static var key: pthread_key_t = 0
  private static let hasKey = pthread_key_create(&key, nil) == 0
  private static let told = Atomic<Bool>(false)

  /// Whether any session must know, from now on.
  static var areTold: Bool {
    get { told.load(ordering: .acquiring) }
    set {
      precondition(hasKey, "there is no thread-local left")
      told.store(newValue, ordering: .releasing)
    }
  }

  static var isUnderWay: Bool { areTold && pthread_getspecific(key) != nil }

  /// Announces a change.
  static func during(_ announce: () -> Void) {
    guard areTold else { return announce() }
    let outer = pthread_getspecific(key)
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
    defer { pthread_setspecific(key, outer) }
    announce()
  }
}
