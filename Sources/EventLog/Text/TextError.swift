/// Why a text could not be read, and where.
public struct TextError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of mistake a program may want to tell apart.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// A stable name.
    public let rawValue: String
    /// Creates a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The text does not follow the grammar.
    public static let syntax = Code(rawValue: "syntax")
    /// A string holds bytes that are not UTF-8, or half of a surrogate pair.
    public static let encoding = Code(rawValue: "encoding")
    /// A number does not fit.
    public static let range = Code(rawValue: "range")
    /// A path or a value is nested too deeply.
    public static let depth = Code(rawValue: "depth")
    /// A field is unknown, missing, out of place, given twice, or of the wrong type.
    public static let field = Code(rawValue: "field")
    /// A `$ref` names nothing that the log knows.
    public static let reference = Code(rawValue: "reference")
  }

  /// What kind of mistake it is.
  public var code: Code
  /// Where it is, in UTF-8 bytes from 1.
  public var column: Int
  /// What was expected or found, for people.
  public var reason: String

  /// Creates an error.
  public init(_ code: Code, column: Int, _ reason: String) {
    self.code = code
    self.column = column
    self.reason = reason
  }

  /// `12: expected a name`.
  public var description: String { "\(column): \(reason)" }
}
