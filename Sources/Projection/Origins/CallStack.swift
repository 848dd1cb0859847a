import EventLog

/// The call stack of the current thread, as addresses.
///
/// The C library returns stacks and images through pointers, which are confined to this file.
enum CallStack {
  /// The most calls kept of a stack, the innermost first.
  static let maximumDepth = 64

  private typealias Capture = @convention(c) (UnsafeMutablePointer<UnsafeRawPointer?>, Int32) -> Int32
  private typealias Locate = @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer) -> Int32

  /// The layout of `Dl_info`, which Glibc's module does not contain.
  private struct Location {
    var image: UnsafePointer<CChar>?
    var base: UnsafeRawPointer?
    var symbol: UnsafePointer<CChar>?
    var symbolAddress: UnsafeRawPointer?
  }

  private static let capture: Capture? = CLibrary.function("backtrace")
  private static let locate: Locate? = CLibrary.function("dladdr")

  /// Whether stacks can be captured. They cannot with a C library without `backtrace`, such as musl.
  static var isAvailable: Bool { capture != nil && locate != nil }

  /// An address within each active call of this thread, the innermost first. Cost: some 0.3 us a call.
  static func addresses() -> [UInt] {
    guard let capture else { return [] }
    return withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: maximumDepth) { frames in
      frames.initialize(repeating: nil)
      guard let start = frames.baseAddress else { return [] }
      let count = min(max(0, Int(capture(start, Int32(maximumDepth)))), maximumDepth)
      // A return address follows the call, and may belong to the next line or function.
      return frames[..<count].compactMap { frame in frame.map { UInt(bitPattern: $0) &- 1 } }
    }
  }

  /// The image that contains an address, and the offset of the address from the image's load address.
  static func image(of address: UInt) -> (path: String, offset: UInt)? {
    guard let locate, let pointer = UnsafeRawPointer(bitPattern: address) else { return nil }
    var location = Location()
    guard locate(pointer, &location) != 0, let image = location.image, let base = location.base else {
      return nil
    }
    return (String(cString: image), address &- UInt(bitPattern: base))
  }
}
