import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The text of a key path as written in the source, without its root: `lastMessage?.text`.
///
/// The standard library describes a key path, but on Linux it does not find the names of computed properties,
/// and recorded properties are computed. It gives the addresses of their getters, whose names are looked up
/// here. Nil if a name cannot be found, as in a program without symbols, or if there is a subscript, whose
/// argument a key path does not show.
///
/// Cost: for each new address a pass through the symbols of the program, some milliseconds.
func text<Root, Value>(of keyPath: KeyPath<Root, Value>) -> String? { text(ofAny: keyPath) }

/// The same for a key path whose types are not known.
func text(ofAny keyPath: AnyKeyPath) -> String? {
  let description = keyPath.debugDescription
  guard let dot = description.firstRange(of: "\\\(type(of: keyPath).rootType).")?.upperBound else {
    return nil
  }
  guard var text = KeyPathText.resolved(description[dot...]) else { return nil }
  // A key path that ends within an optional has an implicit `?` at its end, which is not written.
  if text.hasSuffix("?") { text.removeLast() }
  return text.isEmpty || text.contains(where: { "<>#[(".contains($0) }) ? nil : text
}

private enum KeyPathText {
  /// A description with names in place of addresses. The input has parts like `<computed 0x000055fd46604060
  /// (Optional<Message>)>`.
  static func resolved(_ description: Substring) -> String? {
    var text = ""
    var rest = description
    while let start = rest.firstRange(of: "<computed 0x") {
      let digits = rest[start.upperBound...].prefix { $0.isHexDigit }
      guard let address = UInt(digits, radix: 16), let end = end(of: rest[digits.endIndex...]),
        let name = ProgramSymbols.name(at: address).flatMap(propertyName)
      else { return nil }
      text += rest[..<start.lowerBound] + name
      rest = rest[end...]
    }
    return text + rest
  }

  /// The index after the parenthesized type and the enclosing brackets.
  private static func end(of rest: Substring) -> Substring.Index? {
    var next = rest
    while let range = next.firstRange(of: ")>") {
      let after = range.upperBound
      if after == rest.endIndex || ".?!".contains(rest[after]) { return after }
      next = rest[after...]
    }
    return nil
  }

  /// `lastMessage`, for `key path getter for Chat.ViewModel.lastMessage : Swift.Optional<Chat.Message> :
  /// Chat.ViewModel`.
  private static func propertyName(_ symbol: String) -> String? {
    guard let full = CLibrary.demangled(symbol),
      let start = full.firstRange(of: "key path getter for ")?.upperBound,
      let end = full[start...].firstRange(of: " : ")?.lowerBound
    else { return nil }
    let path = full[start..<end]
    if path.contains("subscript(") { return nil }
    // A name of the form `(name in _0F3A)` is private to a file.
    if path.hasSuffix(")"), let open = path.lastIndex(of: "(") {
      let words = path[path.index(after: open)...].dropLast().split(separator: " ")
      return words.count == 3 && words[1] == "in" ? String(words[0]) : nil
    }
    guard let name = path.split(separator: ".").last, !name.contains(where: { " ()<>".contains($0) }) else {
      return nil
    }
    return String(name)
  }
}

/// The symbols in the program's own files.
private enum ProgramSymbols {
  #if canImport(Darwin)
    /// On this platform the standard library has already looked up the name.
    static func name(at address: UInt) -> String? { nil }
  #else
    /// The result of `dladdr`: the file and its load address, a symbol and its address.
    private struct Image {
      var file: UnsafePointer<CChar>?
      var base: UInt = 0
      var symbol: UnsafePointer<CChar>?
      var symbolAddress: UInt = 0
    }

    private typealias FindImage = @convention(c) (UnsafeRawPointer?, UnsafeMutableRawPointer) -> Int32

    /// The results so far. There are at most as many addresses as key paths in the program.
    private static let known = Lock<[UInt: String?]>([:])

    /// The symbol at an address; nil if there is none.
    static func name(at address: UInt) -> String? {
      if let known = known.withLock({ $0[address] }) { return known }
      let name = lookUp(address)
      known.withLock { $0[address] = .some(name) }
      return name
    }

    private static func lookUp(_ address: UInt) -> String? {
      guard let find: FindImage = CLibrary.function("dladdr") else { return nil }
      var image = Image()
      guard find(UnsafeRawPointer(bitPattern: address), &image) != 0, let file = image.file else {
        return nil
      }
      // The path of the program is as it was started, so it may be relative to an earlier working directory.
      let name = String(cString: file)
      let path = name.hasPrefix("/") ? name : "/proc/self/exe"
      guard let bytes = try? Data(contentsOf: URL(filePath: path), options: .alwaysMapped) else { return nil }
      return bytes.withUnsafeBytes { Self.name(at: [address &- image.base, address], in: $0) }
    }

    /// Searches the symbol tables of a 64-bit ELF file. Addresses in a position-independent file start at 0;
    /// in others they are absolute.
    private static func name(at addresses: [UInt], in file: UnsafeRawBufferPointer) -> String? {
      func number<N: FixedWidthInteger>(_ type: N.Type, at offset: Int) -> Int? {
        guard offset >= 0, offset <= file.count - MemoryLayout<N>.size else { return nil }
        return Int(exactly: N(littleEndian: file.loadUnaligned(fromByteOffset: offset, as: N.self)))
      }
      func section(_ index: Int, of count: Int, from start: Int) -> (kind: Int, link: Int, bytes: Range<Int>)?
      {
        // The start is within the file and indices have 32 bits, so this cannot overflow.
        let entry = start + 64 * index
        guard index < count, let kind = number(UInt32.self, at: entry + 4),
          let offset = number(UInt64.self, at: entry + 0x18),
          let size = number(UInt64.self, at: entry + 0x20),
          let link = number(UInt32.self, at: entry + 0x28),
          offset <= file.count, size <= file.count - offset
        else { return nil }
        return (kind, link, offset..<offset + size)
      }
      guard file.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]), let start = number(UInt64.self, at: 0x28),
        start <= file.count, number(UInt16.self, at: 0x3A) == 64, let count = number(UInt16.self, at: 0x3C)
      else { return nil }
      for index in 0..<count {
        guard let table = section(index, of: count, from: start), table.kind == 2 || table.kind == 11,
          let names = section(table.link, of: count, from: start)
        else { continue }
        for entry in stride(from: table.bytes.lowerBound, to: table.bytes.upperBound - 23, by: 24) {
          guard let value = number(UInt64.self, at: entry + 8), addresses.contains(UInt(value)),
            let offset = number(UInt32.self, at: entry), offset < names.bytes.count
          else { continue }
          let name = file[(names.bytes.lowerBound + offset)..<names.bytes.upperBound].prefix { $0 != 0 }
          // Several symbols may have the same address.
          if name.starts(with: "$s".utf8) { return String(decoding: name, as: UTF8.self) }
        }
      }
      return nil
    }
  #endif
}
