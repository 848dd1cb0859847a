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

extension TrackingRule: FormedArgument {
  static var form: String { "object, property or element, or one of them for a projection, as Row:element" }
}

extension ReadRule: FormedArgument {
  static var form: String { "a projection, a colon and a path pattern, as ChatView:chat.tts.audioLevel" }
}

extension InputRule: FormedArgument {
  static var form: String { "a projection, as Row, or with what its parent reads for it, as Row:store.rows" }
}

extension ThrottleRule: FormedArgument {
  static var form: String { "a path pattern and an interval above 0, as app.position=250ms or '*.level=1s'" }
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
