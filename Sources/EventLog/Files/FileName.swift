import SystemPackage

/// Names of files as strings, and back.
///
/// A name of the operating system is bytes, not text: on Linux any bytes but `/` and 0. A byte that is not part of
/// valid UTF-8 becomes one of 128 private characters, U+10FE80 to U+10FEFF for the bytes 0x80 to 0xFF, so that each
/// name has a string of its own and leads back to the same file. The bytes of such a character in a name that is valid
/// UTF-8 are converted in the same way.
///
/// All calls of the operating system in `Files` convert names by this; so must others that take or return one.
package enum FileName {
  private static let firstEscape: UInt32 = 0x10FE80

  /// Whether a character stands for a byte that is not part of valid UTF-8.
  package static func isEscape(_ scalar: Unicode.Scalar) -> Bool {
    firstEscape...(firstEscape + 0x7F) ~= scalar.value
  }

  /// The byte that a character stands for.
  package static func byte(of escape: Unicode.Scalar) -> UInt8 { UInt8(truncatingIfNeeded: escape.value) }

  /// The string for a name.
  package static func string(_ bytes: some Collection<UInt8>) -> String {
    let bytes = Array(bytes)
    // Each of these characters begins with these two bytes.
    let hasEscape = zip(bytes, bytes.dropFirst()).contains { $0 == 0xF4 && $1 == 0x8F }
    if !hasEscape, let text = String(validating: bytes, as: UTF8.self) { return text }
    var name = String.UnicodeScalarView()
    var parser = Unicode.UTF8.ForwardParser()
    var input = bytes.makeIterator()
    var offset = 0
    while true {
      let count: Int
      switch parser.parseScalar(from: &input) {
      case .valid(let code):
        let scalar = Unicode.UTF8.decode(code)
        count = code.count
        if !isEscape(scalar) {
          name.append(scalar)
          offset += count
          continue
        }
      case .error(let length): count = length
      case .emptyInput: return String(name)
      }
      for byte in bytes[offset..<offset + count] {
        if let escape = Unicode.Scalar(firstEscape - 0x80 + UInt32(byte)) { name.append(escape) }
      }
      offset += count
    }
  }

  /// The string for a name that ends with a zero byte.
  package static func string(_ name: UnsafePointer<CChar>) -> String {
    var count = 0
    while name[count] != 0 { count += 1 }
    return string(UnsafeRawBufferPointer(start: name, count: count))
  }

  /// The bytes of the name that a string stands for.
  package static func bytes(_ name: String) -> [UInt8] {
    guard name.unicodeScalars.contains(where: isEscape) else { return Array(name.utf8) }
    var bytes: [UInt8] = []
    for scalar in name.unicodeScalars {
      if isEscape(scalar) {
        bytes.append(byte(of: scalar))
      } else {
        bytes += UTF8.encode(scalar).map(Array.init) ?? []
      }
    }
    return bytes
  }
}

extension String {
  /// The bytes of the file name that this stands for, and a zero byte, for functions in C.
  package var cName: [CChar] { FileName.bytes(self).map(CChar.init(bitPattern:)) + [0] }

  /// The path that this stands for.
  package var filePath: FilePath { FilePath(platformString: cName) }
}
