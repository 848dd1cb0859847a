#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the thread that runs is called.
enum ThreadName {
  private typealias GetName = @convention(c) (pthread_t, UnsafeMutablePointer<CChar>, Int) -> Int32
  private typealias GetID = @convention(c) () -> pid_t

  private static let getName: GetName? = CLibrary.function("pthread_getname_np")

  #if canImport(Darwin)
    private static var isMain: Bool { pthread_main_np() != 0 }
  #else
    private static let getID: GetID? = CLibrary.function("gettid")
    private static var isMain: Bool { getID?() == getpid() }
  #endif

  /// `main`, or the name that was given to the thread; nil if none was. Cost: some system calls.
  static var current: String? {
    if isMain { return "main" }
    var name = [CChar](repeating: 0, count: 64)
    guard getName?(pthread_self(), &name, name.count) == 0, name[0] != 0 else { return nil }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
