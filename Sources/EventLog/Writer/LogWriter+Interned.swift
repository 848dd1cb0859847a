/// Appending without building a `Path` or hashing a string: for a session that has both interned.
///
/// All paths of one writer come from one table, of which the writer remembers what it has seen. Names are those of
/// projections and of sites. Otherwise every function is as ``LogWriter/append(_:)`` and returns the seq.
extension LogWriter {
  /// What guards appending, for a session that guards more with it: under it, appends need not wait for it again.
  package var lock: RecursiveLock { core.stage.lock }

  /// A projection's name or a site, interned in one writer.
  package typealias NameID = UInt32

  /// The id of a projection's name, new if need be. Cost: one hash.
  package func defineProjection(_ name: String) throws(LogError) -> NameID { try define(name) }

  /// The id of a site, new if need be. Cost: one hash.
  package func defineSite(_ site: String) throws(LogError) -> NameID { try define(site) }

  /// Who makes an event, interned in one writer.
  package typealias OriginID = StagedOrigin

  /// The id of an origin. Cost: a hash of each of its texts.
  package func define(_ origin: Origin) throws(LogError) -> OriginID {
    try core.stage.withLock { stage throws(LogError) in
      if core.isStopped.load(ordering: .relaxed) { try core.checkStopped(stage) }
      return try stage.origin(origin)
    }
  }

  /// As ``append(_:time:cause:site:origin:)``, of an event whose origin was defined before.
  @discardableResult
  package func append(
    _ body: Event.Body, time: UInt64, cause: UInt64?, site: String?, from origin: OriginID?
  ) throws(LogError) -> UInt64 {
    try core.append { stage throws(LogError) in
      try stage.withOrigin(origin) { stage throws(LogError) in
        try stage.append(body, time: time, cause: cause, site: site)
      }
    }
  }

  /// As ``set(_:_:sameValue:time:cause:)``. Call it under ``lock``.
  @inline(__always)
  package func setUnderLock(
    _ path: InternedPath, _ value: Value, sameValue: Bool, time: UInt64, cause: UInt64? = nil
  ) throws(LogError) -> UInt64 {
    try core.appendUnderLock { stage throws(LogError) in
      try stage.check(path)
      return try stage.set(
        UInt64(path.staged), value, sameValue: sameValue, time: time, cause: cause, site: nil)
    }
  }

  private func define(_ name: String) throws(LogError) -> NameID {
    try core.stage.withLock { stage throws(LogError) in
      if core.isStopped.load(ordering: .relaxed) { try core.checkStopped(stage) }
      return try stage.name(name)
    }
  }

  @discardableResult
  package func appendSet(
    path: PathTable.ID, in table: PathTable, value: Value, sameValue: Bool, time: UInt64,
    cause: UInt64? = nil,
    site: NameID? = nil
  ) throws(LogError) -> UInt64 {
    try core.append { stage throws(LogError) in
      try stage.check(name: site)
      let path = try stage.path(path, in: table)
      return try stage.set(path, value, sameValue: sameValue, time: time, cause: cause, site: site)
    }
  }

  @discardableResult
  package func appendSplice(
    path: PathTable.ID, in table: PathTable, offset: Int, delete: Int, insert: Value, sameValue: Bool,
    time: UInt64,
    cause: UInt64? = nil, site: NameID? = nil
  ) throws(LogError) -> UInt64 {
    try core.append { stage throws(LogError) in
      try stage.check(name: site)
      let path = try stage.path(path, in: table)
      return try stage.splice(
        path, offset: offset, delete: delete, insert: insert, sameValue: sameValue, time: time, cause: cause,
        site: site)
    }
  }

  @discardableResult
  package func appendRemove(
    path: PathTable.ID, in table: PathTable, sameValue: Bool, time: UInt64, cause: UInt64? = nil,
    site: NameID? = nil
  ) throws(LogError) -> UInt64 {
    try core.append { stage throws(LogError) in
      try stage.check(name: site)
      let path = try stage.path(path, in: table)
      return try stage.remove(path, sameValue: sameValue, time: time, cause: cause, site: site)
    }
  }

  @discardableResult
  package func appendProjection(
    _ projection: NameID, parent: NameID?, tracking: Tracking, time: UInt64, cause: UInt64? = nil,
    site: NameID? = nil
  ) throws(LogError) -> UInt64 {
    try core.append { stage throws(LogError) in
      try stage.check(name: site)
      return try stage.projection(
        projection, parent: parent, tracking: tracking, time: time, cause: cause, site: site)
    }
  }

  @discardableResult
  package func appendReads(
    _ projection: NameID, paths: some Collection<PathTable.ID>, in table: PathTable, time: UInt64,
    cause: UInt64? = nil, site: NameID? = nil
  ) throws(LogError) -> UInt64 {
    try core.append { stage throws(LogError) in
      try stage.check(name: site)
      var staged: [UInt64] = []
      staged.reserveCapacity(paths.count)
      for path in paths { staged.append(try stage.path(path, in: table)) }
      return try stage.reads(projection, paths: staged, time: time, cause: cause, site: site)
    }
  }

  /// Call it under ``lock``.
  @discardableResult
  package func appendInvalidate(
    _ projection: NameID, causes: [UInt64], time: UInt64, cause: UInt64? = nil, site: NameID? = nil
  ) throws(LogError) -> UInt64 {
    try core.appendUnderLock { stage throws(LogError) in
      try stage.check(name: site)
      return try stage.invalidate(projection, causes: causes, time: time, cause: cause, site: site)
    }
  }

  /// As ``appendInvalidate(_:causes:time:cause:site:)`` by one event, without a list of it. Call it under ``lock``.
  @discardableResult
  package func appendInvalidate(_ projection: NameID, by cause: UInt64, time: UInt64) throws(LogError)
    -> UInt64
  {
    try core.appendUnderLock { stage throws(LogError) in
      try stage.invalidate(projection, by: cause, time: time)
    }
  }

  /// Call it under ``lock``.
  @discardableResult
  package func appendEvaluate(
    _ projection: NameID, duration: UInt64, changed: Bool?, time: UInt64, cause: UInt64? = nil,
    site: NameID? = nil
  ) throws(LogError) -> UInt64 {
    try core.appendUnderLock { stage throws(LogError) in
      try stage.check(name: site)
      return try stage.evaluate(
        projection, duration: duration, changed: changed, time: time, cause: cause, site: site)
    }
  }

  /// Call it under ``lock``.
  @discardableResult
  package func appendDispose(
    _ projection: NameID, time: UInt64, cause: UInt64? = nil, site: NameID? = nil
  ) throws(LogError) -> UInt64 {
    try core.appendUnderLock { stage throws(LogError) in
      try stage.check(name: site)
      return try stage.dispose(projection, time: time, cause: cause, site: site)
    }
  }
}
