/// The fastest way to append: the path is looked up once, and then every set costs a lock and a few bytes.
///
/// ```swift
/// let level = try writer.intern(Path(root: .named("app"), components: [.property("audioLevel")]))
/// try writer.set(level, .int(17), time: now)
/// ```
extension LogWriter {
  /// A path that one writer knows by a number.
  public struct InternedPath: Hashable, Sendable {
    let staged: UInt32
    /// The same path in the writer's table.
    let id: PathTable.ID
    /// The writer that gave it, by its salt.
    let owner: UInt32
  }

  /// The number of a path in this log, new if need be.
  ///
  /// Throws `tooLarge` for a path deeper than ``Path/maximumDepth`` or with a step over 64 KiB, `closed` after
  /// ``close()``, and `io` once the file failed. Cost: one hash a component.
  public func intern(_ path: Path) throws(LogError) -> InternedPath {
    try core.stage.withLock { stage throws(LogError) in
      if core.isStopped.load(ordering: .relaxed) { try core.checkStopped(stage) }
      return try stage.interned(path)
    }
  }

  /// The number of a path one step below another, new if need be. Cost: one hash.
  package func intern(_ component: PathComponent, under parent: InternedPath) throws(LogError) -> InternedPath
  {
    try core.stage.withLock { stage throws(LogError) in
      if core.isStopped.load(ordering: .relaxed) { try core.checkStopped(stage) }
      try stage.check(parent)
      return try stage.interned(component, under: parent)
    }
  }

  /// Appends a set and returns its seq, otherwise as ``append(_:)``. Cost: about 25 ns for a number.
  ///
  /// Throws `invalidEvent` when the path comes from another writer.
  @discardableResult
  public func set(
    _ path: InternedPath, _ value: Value, sameValue: Bool = false, time: UInt64, cause: UInt64? = nil
  ) throws(LogError) -> UInt64 {
    try core.append { stage throws(LogError) in
      try stage.check(path)
      return try stage.set(
        UInt64(path.staged), value, sameValue: sameValue, time: time, cause: cause, site: nil)
    }
  }
}

extension Stage {
  @inline(__always)
  func check(_ path: LogWriter.InternedPath) throws(LogError) {
    if path.owner != owner { throw invalid("the path was interned by the writer of another log") }
  }
}
