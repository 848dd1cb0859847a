#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Functions of the C library that its Swift module leaves out, as Glibc's does with those that POSIX does not have.
package enum CLibrary {
  /// The function with a name, taken for one of the type that is wanted; nil where the library has none.
  package static func function<F>(_ name: String) -> F? {
    #if canImport(Darwin)
      let everywhere = UnsafeMutableRawPointer(bitPattern: -2)
    #else
      let everywhere: UnsafeMutableRawPointer? = nil
    #endif
    return dlsym(everywhere, name).map { unsafeBitCast($0, to: F.self) }
  }
}
