#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Looks up functions of the C library that its Swift module does not declare, such as those outside of
/// POSIX.
package enum CLibrary {
  /// The function with a name, cast to `F`; nil if the library does not have it.
  ///
  /// - Precondition: `F` is the C type of the function; this is not checked.
  package static func function<F>(_ name: String) -> F? {
    #if canImport(Darwin)
      let everywhere = UnsafeMutableRawPointer(bitPattern: -2)
    #else
      let everywhere: UnsafeMutableRawPointer? = nil
    #endif
    return dlsym(everywhere, name).map { unsafeBitCast($0, to: F.self) }
  }

  private typealias Demangle =
    @convention(c) (
      UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
    ) -> UnsafeMutablePointer<CChar>?

  private static let demangle: Demangle? = function("swift_demangle")

  /// The text of a linker's symbol of Swift; nil if it is none.
  package static func demangled(_ symbol: String) -> String? {
    guard let demangle, let text = demangle(symbol, symbol.utf8.count, nil, nil, 0) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}
