/// One change of an app whose effect `what-if` predicts from a log, as an option of the command.
package struct Change: Hashable, Codable, Sendable {
  /// The kinds, in the order in which the command lists its options, whose names they are.
  package enum Kind: String, CaseIterable, Codable, Sendable {
    /// Projections follow what they read more or less precisely.
    case tracking
    /// A read moves out of a projection into a child of its own.
    case isolate
    /// A projection gets a value as its input, and is skipped while that is equal.
    case input
    /// A projection reads a derived value of what it shows, and runs only if that differs; or what a callback sets is derived,
    /// and is seen together with what that follows from.
    case derived
    /// Writes that follow each other closely are one transaction.
    case transaction
    /// A path is set at most once in an interval.
    case throttle
    /// A path is set only when it has not been set for an interval.
    case debounce
    /// A set to a value that is equal as recorded changes nothing.
    case equatable
    /// The children that show the elements of a list are known by the elements' ids.
    case identity
    /// Sets to an equal value are not made.
    case noSameValue = "no-same-value"
  }

  package var kind: Kind
  package var argument: String

  package init(_ kind: Kind, _ argument: String) {
    self.kind = kind
    self.argument = argument
  }

  /// The change as words of a command line.
  package var words: [String] { ["--\(kind.rawValue)", argument] }

  /// Reads a change.
  ///
  /// - Throws: ``Malformed`` if the argument has not the form that the kind expects.
  package static func parse(_ kind: Kind, _ argument: String) throws(Malformed) -> Change {
    let change = Change(kind, argument)
    _ = try WhatIfRules([change])
    return change
  }

  /// Reads the changes that a command line stands for.
  ///
  /// - Throws: ``Malformed`` for a word that is no option of `what-if`, and an argument of another form.
  package static func parse(_ words: [String]) throws(Malformed) -> [Change] {
    var changes: [Change] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard word.hasPrefix("--"), let kind = Kind(rawValue: String(parts[0].dropFirst(2))) else {
        throw Malformed(message: "\(word) is no change; expected \(Kind.options)")
      }
      guard let argument = parts.count > 1 ? parts[1] : rest.popFirst() else {
        throw Malformed(message: "\(word) needs \(kind.form)")
      }
      do throws(Malformed) { changes.append(try parse(kind, argument)) } catch {
        throw Malformed(message: "--\(kind.rawValue) \(argument): \(error.message)")
      }
    }
    return changes
  }

  /// Words that stand for no change.
  package struct Malformed: Error, Sendable, CustomStringConvertible {
    package let message: String
    package var description: String { message }
  }
}

extension Change.Kind {
  /// The options of all kinds.
  package static var options: String { allCases.map { "--\($0.rawValue)" }.joined(separator: ", ") }

  /// The form of the argument, as after `expected`.
  package var form: String {
    switch self {
    case .tracking: "object, property or element, or one of them for a projection, as Row:element"
    case .isolate: "a projection, a colon and a path pattern, as ChatView:chat.tts.audioLevel"
    case .input: "a projection, as Row, or with what its parent reads for it, as Row:store.rows"
    case .derived:
      "a projection, as Row, or with the paths that its derived value reads, as Row:app.selection; or a callback"
    case .transaction:
      "the longest time between two writes of one transaction, as 16ms; or cascade, for what one write led to"
    case .throttle, .debounce: "a path pattern and an interval above 0, as app.position=250ms or '*.level=1s'"
    case .equatable, .noSameValue: "a path pattern, as app.screen or 'rows[*].style'"
    case .identity: "the projection of an element, a colon and the list, as FeedRow:feed.items"
    }
  }
}
