/// Where a file is to go that is written beside its place, and put there when it is whole.
struct OutputPlace {
  /// As it was given.
  let name: String
  /// What links lead to: they stay, and what they name is replaced.
  let path: String
  /// Where to write until it is whole.
  let temporary: String
  /// Whether it is a device or a pipe, as /dev/stdout may be: written to as it is, and never replaced.
  let isStream: Bool

  init(_ name: String) {
    self.name = name
    isStream = Platform.isStream(name)
    path = Platform.withoutLinks(name) ?? name
    temporary = isStream ? name : "\(path).writing-\(Platform.processID)"
  }

  /// Refuses what is no file.
  ///
  /// - Parameter what: What is written, as `a log`.
  func needsFile(for what: String) throws {
    if isStream { throw ToolError("cannot write \(name): \(what) needs a file") }
  }

  /// Puts what was written where it belongs.
  func replace() throws {
    if isStream { return }
    if let code = Platform.rename(temporary, to: path) {
      throw ToolError("cannot write \(name): \(Platform.message(code))")
    }
  }

  /// Leaves nothing of what was begun.
  func giveUp() {
    if !isStream { Platform.remove(temporary) }
  }
}
