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

  init(_ words: [String]) {
    let log = words.lazy.filter { $0.hasSuffix(".evlog") }.compactMap { try? LogSource(path: $0) }.first
    names = log.map { LogNames($0, eventsMax: Self.eventsMax) }
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

  /// Texts with control characters are left out: no shell could hand them back.
  private func answers(_ texts: Set<String>, _ prefix: String) -> [String] {
    Array(texts.filter { $0.hasPrefix(prefix) && $0.shown == $0 }.sorted().prefix(Self.answersMax))
  }
}
