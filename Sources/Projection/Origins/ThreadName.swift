#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What threads and tasks are called.
enum ThreadName {
  /// `main`, the name that the program gave the thread, or nil.
  static var current: String? {
    isMain ? "main" : name
  }

  private static var isMain: Bool {
    #if canImport(Darwin)
      pthread_main_np() != 0
    #else
      syscallThread == getpid()
    #endif
  }

  private static var name: String? {
    var name = [CChar](repeating: 0, count: 64)
    guard getName?(pthread_self(), &name, name.count) == 0, name[0] != 0 else { return nil }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
