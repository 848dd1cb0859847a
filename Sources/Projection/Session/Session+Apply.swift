extension Session {
  /// Puts the attached objects into the state of a recording after an event, forwards or backwards.
  ///
  ///     for seq in stride(from: recording.lastSeq, through: 1, by: -1) {
  ///       try session.apply(recording, through: seq)   // SwiftUI and projections follow
  ///     }
  ///
  /// Each root of the recording that is attached here under the same name is changed, with all that it leads to. It is
  /// one transaction: projections run again, once, if what they read differs, and observers of the standard library
  /// are told; callbacks (`onChange`, `onReceive`, `onFirstAppear`) and the classes' own `willSet` and `didSet` do not
  /// run. Only what differs is set, and recorded if the session records. An object of the recording is the same object
  /// here from one call to the next; before the first, objects at the same places, or with the same ids, are taken
  /// for each other. A root that the recording does not have at that event stays as it is.
  ///
  /// Cost: the state of the recording, and what differs.
  ///
  /// - Parameter runningCallbacks: Whether callbacks run all the same.
  /// - Returns: What of the recording does not fit the app; it stays as it is here. See ``Migration``.
  /// - Precondition: The caller is in the isolation of the classes, outside any transaction, projection or callback of
  ///   the session.
  /// - Throws: ``LogError``.
  @discardableResult
  public func apply(
    _ recording: Recording, through seq: UInt64, runningCallbacks: Bool = false
  ) throws -> [RestoreProblem] {
    try engine.apply(recording, through: seq, runningCallbacks)
  }
}

extension Engine {
  func apply(
    _ recording: Recording, through seq: UInt64, _ runningCallbacks: Bool
  ) throws -> [RestoreProblem] {
    let state = try recording.state(at: seq)
    let restorer = ObjectRestorer(state, migrations: recording.migrations, types: recording.types)
    // What has happened so far is told; what is to come is not.
    flushAll()
    lock.withLock {
      playback.begin(recording, restorer)
      playback.isSilent = !runningCallbacks
    }
    defer { lock.withLock { playback.isSilent = false } }
    beginTransaction("apply \(min(seq, recording.lastSeq))", site: "\(#fileID):\(#line)")
    var walk = PlaybackWalk(engine: self, restorer)
    walk.run()
    lock.withLock { playback.set(restorer.objects, of: recording) }
    endTransaction()
    if runningCallbacks { flushCollected() } else { flushAll() }
    return restorer.problems
  }

  /// Calls the app, unless a recording is being applied.
  func callOut(_ body: () -> Void) {
    if !lock.withLock({ playback.isSilent }) { body() }
  }
}
