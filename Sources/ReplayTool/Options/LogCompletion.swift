import ArgumentParser
import EventLog
import ReplayAnalysis

extension CompletionKind {
  /// Completes with projections of the log that is on the command line.
  static var projections: CompletionKind {
    .custom { words, _, prefix in LogCompletion(words).projections(prefix) }
  }

  static var paths: CompletionKind { .custom { words, _, prefix in LogCompletion(words).paths(prefix) } }

  /// Completes with paths that are written in this log.
  static var writtenPaths: CompletionKind {
    .custom { words, _, prefix in LogCompletion(words).writtenPaths(prefix) }
  }

  /// Completes with marks of this log, as moments.
  static var moments: CompletionKind { .custom { words, _, prefix in LogCompletion(words).moments(prefix) } }
}

/// Finds completions in the log that is named on the command line.
struct LogCompletion {
  private let names: LogNames?

  /// The limit on events read, since the shell must respond at once.
  private static let eventsMax: UInt64 = 500_000
  /// The limit on completions; nobody reads more.
  private static let answersMax = 200

  private let shell: CompletionShell?

  init(_ words: [String], for shell: CompletionShell? = .requesting) {
    // Some shells pass words as they were typed, others remove the quotes.
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

  func paths(_ prefix: String) -> [String] { answers(names?.paths ?? [], prefix) }

  func writtenPaths(_ prefix: String) -> [String] { answers(names?.writtenPaths ?? [], prefix) }

  private func answers(_ paths: Set<Path>, _ prefix: String) -> [String] {
    let groups = Set(names: paths.map(\.group))
    return answers(groups, prefix) + answers(Set(names: paths.map(\.description)).subtracting(groups), prefix)
  }

  func moments(_ prefix: String) -> [String] {
    answers(Set(names: names?.marks.map { "mark:\($0)" } ?? []), prefix)
  }

  /// Returns the names that begin with the typed text. A log may come from anywhere, and shells evaluate the
  /// text that they insert. So this leaves out names that a shell could run as commands, names that no shell
  /// could pass back, and names that would be taken for options.
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

  /// The text in the form that the shell's completion expects. Bash expands it as a word of a command; zsh
  /// takes the text after a colon for a description.
  private func escaped(_ text: String) -> String {
    switch shell {
    case .bash: text.unicodeScalars.map { $0.isPunctuationForBash ? "\\\($0)" : "\($0)" }.joined()
    case .zsh: text.replacing(":", with: "\\:")
    default: text
    }
  }
}

extension Unicode.Scalar {
  /// Whether the character may have a special meaning to bash.
  fileprivate var isPunctuationForBash: Bool {
    isASCII && !properties.isAlphabetic && properties.numericType == nil
  }
}

extension String {
  /// The word as the shell would unquote it; a quote may still be open.
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

  /// The path with `~` replaced by the home folder, as a shell does it.
  fileprivate var inHome: String {
    guard hasPrefix("~/"), let home = Platform.environment("HOME") else { return self }
    return home + dropFirst()
  }
}
