import EventLog

extension Session {
  /// Records from now on who makes events: with every write, transaction and mark the call stack, and the names
  /// of the thread and the task.
  ///
  ///     session.recordOrigins()                                  // of all
  ///     session.recordOrigins(sampling: 100)                     // of one in a hundred
  ///     try session.recordOrigins(of: "store.rows[*].count")     // of writes there
  ///
  /// `replay why` shows them. Stacks are kept as addresses, to which `replay` finds names and lines in the app's own
  /// files when it reads the log. A later call takes the place of an earlier one.
  ///
  /// Cost: some microseconds for each event that is meant; a set that is not meant costs what it did before.
  ///
  /// - Parameter interval: One in how many; 1 for every one.
  public func recordOrigins(sampling interval: Int = 1) {
    engine.setOrigins(OriginRecorder(patterns: [], interval: interval))
  }

  /// Records from now on who writes to places of one of these forms; otherwise as ``recordOrigins(sampling:)``.
  ///
  /// - Parameter patterns: As the commands of `replay` take them: `store.rows[*].count`, `**.isLoading`.
  /// - Throws: ``TextError`` for a pattern that is none.
  public func recordOrigins(of patterns: String..., sampling interval: Int = 1) throws {
    engine.setOrigins(
      OriginRecorder(patterns: try patterns.map { try PathPattern(parsing: $0) }, interval: interval))
  }

  /// Records from now on no longer who makes events.
  public func stopRecordingOrigins() { engine.setOrigins(nil) }
}
