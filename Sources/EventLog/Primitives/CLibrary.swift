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
}
