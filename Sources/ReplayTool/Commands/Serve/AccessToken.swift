/// A secret that a page must send with each request. Only those who were given the page's address have it.
struct AccessToken: Equatable, Sendable {
  static let header = "Replay-Token"
  static let variable = "REPLAY_SERVE_TOKEN"
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
  private static let lengths = 16...128

  let text: String

  /// Creates a random token of 192 bits.
  init() {
    var random = SystemRandomNumberGenerator()
    text = String((0..<32).map { _ in Self.letters[Int(random.next(upperBound: UInt64(64)))] })
  }

  /// Creates a token from a text that the user chose; nil if it is too short or too long, or has characters
  /// that a URL cannot contain.
  init?(_ text: String) {
    guard Self.lengths.contains(text.count), text.allSatisfy({ Self.letters.contains($0) }) else {
      return nil
    }
    self.text = text
  }

  /// The token from the environment; nil if there is none.
  ///
  /// - Throws: `ToolError` if the text cannot be a token.
  static func given() throws -> AccessToken? {
    guard let text = Platform.environment(variable), !text.isEmpty else { return nil }
    guard let token = AccessToken(text) else {
      throw ToolError("\(variable) must be 16 to 128 letters, digits, - or _")
    }
    return token
  }

  /// Whether a text is this token. The comparison takes constant time, so that it does not reveal how much of
  /// the text is right.
  func matches(_ other: String) -> Bool {
    let (a, b) = (Array(text.utf8), Array(other.utf8))
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
