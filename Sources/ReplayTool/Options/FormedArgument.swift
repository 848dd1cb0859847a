import ArgumentParser
import EventLog
import ReplayAnalysis

/// An argument with a syntax of its own. An argument of another form is refused with an error that states the
/// form; the argument parser's own error could not. Options pass the reader as `transform: FORM.read`.
protocol FormedArgument {
  /// The form, as in `expected 17 or 1.5s`.
  static var form: String { get }

  init?(argument: String)
}

extension FormedArgument {
  static func read(_ text: String) throws -> Self {
    guard let value = Self(argument: text) else { throw ValidationError("expected \(form)") }
    return value
  }
}

extension PathPattern {
  /// Reads a pattern from the command line.
  static func read(_ text: String) throws -> PathPattern {
    do { return try PathPattern(parsing: text) } catch {
      throw ValidationError("\(error.reason), at column \(error.column)")
    }
  }
}

extension Change {
  /// Returns a reader of the arguments for changes of a kind.
  static func reader(_ kind: Kind) -> @Sendable (String) throws -> Change {
    { text in
      do throws(Change.Malformed) { return try parse(kind, text) } catch {
        throw ValidationError(error.message)
      }
    }
  }
}

/// A port to listen at.
struct Port: FormedArgument {
  static var form: String { "a whole number from 0 to 65535; 0 for any that is free" }

  let number: UInt16

  init(number: UInt16) { self.number = number }

  init?(argument: String) {
    guard let number = UInt16(argument) else { return nil }
    self.number = number
  }
}
