import ArgumentParser
import EventLog
import ReplayAnalysis

extension CompletionKind {
  /// Names of projections of the log that is on the command line.
  static var projections: CompletionKind {
    .custom { words, _, prefix in LogCompletion(words).projections(prefix) }
  }

  /// Paths of that log.
  static var paths: CompletionKind { .custom { words, _, prefix in LogCompletion(words).paths(prefix) } }

  /// Marks of that log, as moments.
  static var moments: CompletionKind { .custom { words, _, prefix in LogCompletion(words).moments(prefix) } }
}

/// What may stand on the command line, taken from the log that stands there already.
struct LogCompletion {
  private let names: LogNames?

  /// Only so many events are read, since an answer must come at once.
  private static let eventsMax: UInt64 = 500_000
  /// More would not be read.
  private static let answersMax = 200

  private let shell: CompletionShell?

  init(_ words: [String], for shell: CompletionShell? = .requesting) {
    // Some shells hand over words as they were typed, some without their quotes.
    let paths = words.flatMap { [$0, $0.unquoted, $0.unquoted.inHome] }.filter { $0.hasSuffix(".evlog") }
    let log = paths.lazy.compactMap { try? LogSource(path: $0) }.first
    names = log.map { LogNames($0, eventsMax: Self.eventsMax) }
    self.shell = shell
  }

  func projections(_ prefix: String) -> [String] {
    guard let names else { return [] }
    let groups = Set(names: names.projections.map(\.projectionGroup))
    return answers(groups, prefix) + answers(Set(names: names.projections).subtracting(groups), prefix)
  }

  func paths(_ prefix: String) -> [String] {
    guard let names else { return [] }
    let groups = Set(names: names.paths.map(\.group))
    return answers(groups, prefix)
      + answers(Set(names: names.paths.map(\.description)).subtracting(groups), prefix)
  }

  func moments(_ prefix: String) -> [String] {
    answers(Set(names: names?.marks.map { "mark:\($0)" } ?? []), prefix)
  }

  /// A log is a stranger's, and shells evaluate what they are offered: texts that could be commands are left out, and
  /// so are those that no shell could hand back, or that would be taken for options.
  private func answers(_ names: Set<ExactString>, _ typed: String) -> [String] {
    let value =
      typed.hasPrefix("--") ? typed.split(separator: "=", maxSplits: 1).last.map(String.init) ?? "" : typed
    let prefixes = [value, value.unquoted]
    let fit = names.sorted().map(\.string).filter { text in
      prefixes.contains { text.hasPrefix($0) } && !text.hasPrefix("-")
        && !text.unicodeScalars.contains { "$`<>\\".unicodeScalars.contains($0) } && text.shown == text
    }
    return fit.prefix(Self.answersMax).map(escaped)
  }

  /// The text as the shell's completion takes it. Bash expands it as a word of a command; for zsh, what follows a colon
  /// would be a description.
  private func escaped(_ text: String) -> String {
    switch shell {
    case .bash: text.unicodeScalars.map { $0.isPunctuationForBash ? "\\\($0)" : "\($0)" }.joined()
    case .zsh: text.replacing(":", with: "\\:")
    default: text
    }
  }
}

extension Unicode.Scalar {
  /// Whether bash may take more from it than the character.
  fileprivate var isPunctuationForBash: Bool {
    isASCII && !properties.isAlphabetic && properties.numericType == nil
  }
}

extension String {
  /// As a shell takes the word that was typed so, which may have an open quote.
  fileprivate var unquoted: String {
    var text = ""
    var quote: Character?
    var rest = self[...]
    while let next = rest.popFirst() {
      if next == "\\", quote != "'" {
        if let escaped = rest.popFirst() { text.append(escaped) }
      } else if next == quote {
        quote = nil
      } else if quote == nil, next == "'" || next == "\"" {
        quote = next
      } else {
        text.append(next)
      }
    }
    return text
  }

  /// This path with the tilde that a shell would have replaced.
  fileprivate var inHome: String {
    guard hasPrefix("~/"), let home = Platform.environment("HOME") else { return self }
    return home + dropFirst()
  }
}
