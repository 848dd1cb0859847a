import SystemPackage

/// The linker's hash of a program or library, which is an ELF note and differs from build to build.
package enum BuildID {
  /// The build id of an image's file in hexadecimal; empty if the file or the note does not exist.
  ///
  /// Cost: two reads of up to 4 KiB, of the file's header and of its notes.
  package static func ofImage(at path: String) -> String {
    guard let file = try? FileDescriptor.open(FilePath(path), .readOnly, options: .nonBlocking) else {
      return ""
    }
    defer { try? file.close() }
    let head = file.bytes(at: 0, count: 4096)
    // Only 64-bit little-endian files are read, because Swift runs on no other ELF platform.
    guard head.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]), let table = head.number(at: 32, size: 8),
      let entrySize = head.number(at: 54, size: 2), let count = head.number(at: 56, size: 2)
    else { return "" }
    for index in 0..<min(count, 64) {
      let entry = table + index * entrySize
      guard head.number(at: entry, size: 4) == noteSegment, let offset = head.number(at: entry + 8, size: 8),
        let size = head.number(at: entry + 32, size: 8)
      else { continue }
      if let id = id(in: file.bytes(at: offset, count: min(size, 4096))) { return id }
    }
    return ""
  }

  private static let noteSegment = 4
  private static let buildIDNote = 3

  /// The id in a list of notes. Each note has 12 bytes (size of the owner's name, size of the contents,
  /// type), then the name and the contents, each padded to 4 bytes.
  private static func id(in notes: [UInt8]) -> String? {
    var at = 0
    while let nameSize = notes.number(at: at, size: 4), let size = notes.number(at: at + 4, size: 4),
      let kind = notes.number(at: at + 8, size: 4)
    {
      let name = at + 12
      let start = name + (nameSize + 3) / 4 * 4
      let end = start + size
      guard end <= notes.count else { return nil }
      if kind == buildIDNote, notes[name..<name + nameSize].elementsEqual(Array("GNU\0".utf8)) {
        return notes[start..<end].map { byte in
          String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
      }
      at = (end + 3) / 4 * 4
    }
    return nil
  }
}

extension Array<UInt8> {
  /// A little-endian number below 2^31; nil if it is larger or extends past the end.
  fileprivate func number(at position: Int, size: Int) -> Int? {
    guard position >= 0, position <= count - size else { return nil }
    let number = self[position..<position + size].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return number < 1 << 31 ? Int(number) : nil
  }
}

extension FileDescriptor {
  fileprivate func bytes(at offset: Int, count: Int) -> [UInt8] {
    let bytes = try? [UInt8](unsafeUninitializedCapacity: count) { buffer, read in
      read = try self.read(fromAbsoluteOffset: Int64(offset), into: UnsafeMutableRawBufferPointer(buffer))
    }
    return bytes ?? []
  }
}
