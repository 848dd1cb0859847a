/// A text in which `*` stands for any run of characters; all others stand for their bytes.
package struct Glob: Hashable, Sendable {
  /// What stands between the asterisks; one piece when there are none.
  private let pieces: [[UInt8]]

  /// Splits at the asterisks, which stand at these offsets.
  init(_ bytes: [UInt8], asterisks: [Int]) {
    var pieces: [[UInt8]] = []
    var start = 0
    for asterisk in asterisks {
      pieces.append(Array(bytes[start..<asterisk]))
      start = asterisk + 1
    }
    pieces.append(Array(bytes[start...]))
    self.pieces = pieces
  }

  /// Takes every `*` of a text for one.
  package init(_ text: String) {
    let bytes = Array(text.utf8)
    self.init(bytes, asterisks: bytes.indices.filter { bytes[$0] == 0x2A })
  }

  package var hasWildcard: Bool { pieces.count > 1 }

  /// Whether the text fits. Cost: at worst the product of the two lengths, and no memory.
  package func matches(_ text: String) -> Bool {
    let text = Array(text.utf8)
    guard let first = pieces.first, let last = pieces.last, text.starts(with: first) else { return false }
    if !hasWildcard { return text.count == first.count }
    var position = first.count
    let end = text.count - last.count
    if end < position || !text[end...].elementsEqual(last) { return false }
    // The leftmost place for each piece leaves the most room for those after it.
    for piece in pieces.dropFirst().dropLast() {
      guard let found = Self.offset(of: piece, in: text, from: position, to: end) else { return false }
      position = found + piece.count
    }
    return true
  }

  private static func offset(of piece: [UInt8], in text: [UInt8], from start: Int, to end: Int) -> Int? {
    var position = start
    while position + piece.count <= end {
      if text[position..<position + piece.count].elementsEqual(piece) { return position }
      position += 1
    }
    return nil
  }
}
