#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The terminal that the tool runs in.
final class RawTerminal: Terminal {
  private var saved: termios?

  /// Nil where input or output is none, or one that cannot move its cursor.
  static func standard() -> RawTerminal? {
    guard Platform.isTerminal(0), Platform.isTerminal(1), Platform.environment("TERM") != "dumb" else {
      return nil
    }
    return RawTerminal()
  }

  var width: Int { Platform.width(of: 1) ?? 80 }

  func enterRawMode() throws {
    var mode = termios()
    guard tcgetattr(0, &mode) == 0 else {
      throw ToolError("the terminal cannot be set: \(Platform.message(errno))")
    }
    saved = mode
    mode.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
    mode.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR)
    // Output stays as it is: what commands print ends its lines as ever.
    guard tcsetattr(0, TCSADRAIN, &mode) == 0 else {
      throw ToolError("the terminal cannot be set: \(Platform.message(errno))")
    }
  }

  func leaveRawMode() {
    guard var mode = saved else { return }
    tcsetattr(0, TCSADRAIN, &mode)
    saved = nil
  }

  deinit { leaveRawMode() }

  func read(isMore: Bool) -> TerminalInput {
    var ready = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    while true {
      // A signal that comes between asking and waiting is seen at the next turn.
      if Platform.isInterrupted { return .end }
      let count = poll(&ready, 1, isMore ? 50 : 500)
      if count < 0, errno != EINTR { return .end }
      if count == 0, isMore { return .pause }
      if count <= 0 { continue }
      var byte: UInt8 = 0
      #if canImport(Glibc)
        let length = Glibc.read(0, &byte, 1)
      #else
        let length = Darwin.read(0, &byte, 1)
      #endif
      if length == 1 { return .byte(byte) }
      if length < 0, errno == EINTR || errno == EAGAIN { continue }
      return .end
    }
  }

  func write(_ text: String) { _ = Platform.write(Array(text.utf8), to: 1) }
}
