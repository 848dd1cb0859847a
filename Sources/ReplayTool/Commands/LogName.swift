/// The name of a log, from which names of others are made.
struct LogName {
  private let path: String

  init(_ path: String) { self.path = path }

  /// The same with something before the extension: `run.evlog` and `old` give `run.old.evlog`.
  func inserting(_ part: String) -> String {
    path.hasSuffix(".evlog") ? "\(path.dropLast(6)).\(part).evlog" : "\(path).\(part)"
  }
}
