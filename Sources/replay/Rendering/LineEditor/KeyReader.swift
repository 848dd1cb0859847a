/// A key, or what a terminal sends for one.
enum Key: Equatable {
  case character(Character)
  case left, right, up, down, home, end
  case enter, tab, backspace, delete
  case control(Character)
  /// A key that means nothing here.
  case unknown
  /// There are no more keys.
  case endOfInput
}

/// Makes keys of the bytes that a terminal sends.
struct KeyReader {
  private let terminal: any Terminal

  init(_ terminal: any Terminal) { self.terminal = terminal }

  func next() -> Key {
    guard case .byte(let byte) = terminal.read(isMore: false) else { return .endOfInput }
    switch byte {
    case 0x0D, 0x0A: return .enter
    case 0x09: return .tab
    case 0x08, 0x7F: return .backspace
    case 0x1B: return escape()
    case 1...26: return .control(Character(Unicode.Scalar(byte + 0x60)))
    case 0..<0x20: return .unknown
    case 0x20..<0x80: return .character(Character(Unicode.Scalar(byte)))
    default: return text(beginning: byte)
    }
  }

  /// The rest of a character of several bytes.
  private func text(beginning first: UInt8) -> Key {
    var bytes = [first]
    let count = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    while bytes.count < count, case .byte(let byte) = terminal.read(isMore: true) { bytes.append(byte) }
    guard let text = String(validating: bytes, as: UTF8.self), text.count == 1, let character = text.first
    else {
      return .unknown
    }
    return .character(character)
  }

  /// What follows an escape: `[A`, `OH`, `[3~`, `[1;5C`.
  private func escape() -> Key {
    guard case .byte(let kind) = terminal.read(isMore: true) else { return .unknown }
    guard kind == 0x5B || kind == 0x4F else { return .unknown }
    var parameters: [UInt8] = []
    while case .byte(let byte) = terminal.read(isMore: true) {
      if byte >= 0x40, byte <= 0x7E { return Self.key(byte, parameters) }
      parameters.append(byte)
      // No key is that long: what comes is noise.
      if parameters.count > 16 { return .unknown }
    }
    return .unknown
  }

  private static func key(_ final: UInt8, _ parameters: [UInt8]) -> Key {
    switch final {
    case 0x41: .up
    case 0x42: .down
    case 0x43: .right
    case 0x44: .left
    case 0x48: .home
    case 0x46: .end
    case 0x7E:
      switch parameters.first {
      case 0x31, 0x37: .home
      case 0x34, 0x38: .end
      case 0x33: .delete
      default: .unknown
      }
    default: .unknown
    }
  }
}
