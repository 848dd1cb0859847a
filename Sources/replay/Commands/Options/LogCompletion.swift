import ArgumentParser
import EventLog

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

  /// So much of a log is looked at: an answer must come while somebody waits with a finger on the key.
  private static let eventsMax: UInt64 = 500_000
  /// More than anybody reads.
  private static let answersMax = 200

  private let shell: CompletionShell?

  init(_ words: [String], for shell: CompletionShell? = .requesting) {
    let paths = words.map { $0.trimmingQuotes }.filter { $0.hasSuffix(".evlog") }
    let log = paths.lazy.compactMap { try? LogSource(path: $0) }.first
    names = log.map { LogNames($0, eventsMax: Self.eventsMax) }
    self.shell = shell
  }

  func projections(_ prefix: String) -> [String] {
    guard let names else { return [] }
    let groups = Set(names.projections.map(\.projectionGroup))
    return answers(groups, prefix) + answers(names.projections.subtracting(groups), prefix)
  }

  func paths(_ prefix: String) -> [String] {
    guard let names else { return [] }
    let groups = Set(names.paths.map(\.group))
    return answers(groups, prefix)
      + answers(Set(names.paths.map(\.description)).subtracting(groups), prefix)
  }

  func moments(_ prefix: String) -> [String] { answers(Set(names?.marks.map { "mark:\($0)" } ?? []), prefix) }

  /// A log is a stranger's, and shells evaluate what they are offered: texts that could be commands are left out, and
  /// so are those that no shell could hand back.
  private func answers(_ texts: Set<String>, _ prefix: String) -> [String] {
    let prefix = prefix.trimmingQuotes
    let fit = texts.filter { text in
      text.hasPrefix(prefix) && !text.contains { "$`<>\\".contains($0) } && text.shown == text
    }
    return fit.sorted().prefix(Self.answersMax).map(escaped)
  }

  /// The text as the shell's completion takes it.
  private func escaped(_ text: String) -> String {
    switch shell {
    // `compgen -W` takes quotes away.
    case .bash?: text.replacing("\"", with: "\\\"").replacing("'", with: "\\'")
    // What follows a colon would be a description.
    case .zsh?: text.replacing(":", with: "\\:")
    default: text
    }
  }
}

extension String {
  /// Without the quotes that it was typed in.
  fileprivate var trimmingQuotes: String {
    var text = self[...]
    while let first = text.first, first == "'" || first == "\"" { text.removeFirst() }
    while let last = text.last, last == "'" || last == "\"" { text.removeLast() }
    return String(text)
  }
}
