/// What a page must show with each request: only who was given its address has it.
struct AccessToken: Equatable, Sendable {
  static let header = "Replay-Token"
  static let variable = "REPLAY_SERVE_TOKEN"
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
  private static let lengths = 16...128

  let text: String

  /// A random one, of 192 bits.
  init() {
    var random = SystemRandomNumberGenerator()
    text = String((0..<32).map { _ in Self.letters[Int(random.next(upperBound: UInt64(64)))] })
  }

  /// One that was chosen; nil where it is short, or has what an address has not.
  init?(_ text: String) {
    guard Self.lengths.contains(text.count), text.allSatisfy({ Self.letters.contains($0) }) else {
      return nil
    }
    self.text = text
  }

  /// The one of the environment; nil where there is none.
  ///
  /// - Throws: `ToolError` where it cannot be one.
  static func given() throws -> AccessToken? {
    guard let text = Platform.environment(variable), !text.isEmpty else { return nil }
    guard let token = AccessToken(text) else {
      throw ToolError("\(variable) must be 16 to 128 letters, digits, - or _")
    }
    return token
  }

  /// Whether a text is this token. The time that it takes does not tell how much of it is right.
  func matches(_ other: String) -> Bool {
    let (a, b) = (Array(text.utf8), Array(other.utf8))
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
