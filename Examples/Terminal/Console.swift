#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The keys that the bytes of a terminal stand for: what a line of text has, too.
package func keys(of bytes: some Collection<UInt8>) -> [Key] {
  let text = String(decoding: bytes, as: UTF8.self)
    .replacing("\u{1B}[A", with: "\u{1}").replacing("\u{1B}[B", with: "\u{2}")
  return text.compactMap { character -> Key? in
    switch character {
    case "\u{1}": .up
    case "\u{2}": .down
    case "\n", "\r", "\r\n": .enter
    case "\t": .tab
    case "\u{1B}": .escape
    case "\u{7F}", "\u{8}": .backspace
    default: character.asciiValue.map { $0 < 32 } == true ? nil : .character(character)
    }
  }
}

extension Host {
  /// Draws on the terminal until control-D, with a tick each tenth of a second. Without a terminal each key of standard input is
  /// followed by a tick, and the last frame is printed.
  package func runOnStandardInput() {
    var (before, size) = (termios(), winsize())
    var (bytes, input) = ([UInt8](repeating: 0, count: 1 << 12), pollfd())
    let isTerminal = tcgetattr(STDIN_FILENO, &before) == 0
    var raw = before
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    if isTerminal { tcsetattr(STDIN_FILENO, TCSANOW, &raw) }
    defer { if isTerminal { tcsetattr(STDIN_FILENO, TCSANOW, &before) } }
    (input.fd, input.events) = (STDIN_FILENO, Int16(POLLIN))
    while true {
      if isTerminal {
        _ = ioctl(STDIN_FILENO, UInt(TIOCGWINSZ), &size)
        if size.ws_col > 0 { resize(width: Int(size.ws_col), height: Int(size.ws_row)) }
        print("\u{1B}[H" + frame().joined(separator: "\r\n"), terminator: "")
        fflush(nil)
      }
      guard poll(&input, 1, isTerminal ? 100 : -1) > 0 else {
        advance()
        continue
      }
      let count = read(STDIN_FILENO, &bytes, bytes.count)
      if count <= 0 || bytes[0] == 4 { break }
      for key in keys(of: bytes.prefix(count)) {
        _ = frame()
        press(key)
        if !isTerminal { advance() }
      }
    }
    print(frame().joined(separator: "\n"))
  }
}
