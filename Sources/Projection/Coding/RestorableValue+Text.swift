import EventLog

extension String: RestorableValue {
  /// A string.
  public static func restored(from value: Value, in context: RestoringContext) throws -> String {
    guard case .string(let text) = value else { throw context.mismatch(value, self) }
    return text
  }
}

extension Substring: RestorableValue {
  /// A string, all of it.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Substring {
    Substring(try String.restored(from: value, in: context))
  }
}

extension Character: RestorableValue {
  /// A string of one character.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Character {
    guard case .string(let text) = value, text.count == 1 else { throw context.mismatch(value, self) }
    return Character(text)
  }
}

extension Unicode.Scalar: RestorableValue {
  /// A string of one scalar.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Unicode.Scalar {
    guard case .string(let text) = value, text.unicodeScalars.count == 1 else {
      throw context.mismatch(value, self)
    }
    return text.unicodeScalars[text.startIndex]
  }
}
