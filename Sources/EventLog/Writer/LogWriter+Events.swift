extension LogWriter {
  /// Appends an event whose seq is `seq(.queued)` + 1.
  ///
  /// Returns when the event is queued; see ``LogWriter`` for what that survives. A value over 8 MiB, over half a
  /// million parts or nested more than 64 deep is replaced by `opaque` of the type
  /// `too large: N bytes`. Times and durations are kept as exactly as ``LogOptions/timeUnit`` says. Throws `invalidEvent`
  /// or `tooLarge` for an event that cannot be in a log, which is then not recorded, `closed` after ``close()``, and
  /// `io` once the file failed. Cost: about 100 ns and a hash for each component of a path.
  public func append(_ event: Event) throws(LogError) {
    _ = try core.append { stage throws(LogError) in
      guard event.seq == stage.nextSeq else {
        throw stage.invalid("seq \(event.seq) is not the next, \(stage.nextSeq)")
      }
      return try stage.append(
        event.body, time: event.time, cause: event.cause, site: event.site, origin: event.origin)
    }
  }

  /// Appends what happened and returns the seq it was given, otherwise as ``append(_:)``.
  @discardableResult
  public func append(
    _ body: Event.Body, time: UInt64, cause: UInt64? = nil, site: String? = nil, origin: Origin? = nil
  ) throws(LogError) -> UInt64 {
    try core.append { stage throws(LogError) in
      try stage.append(body, time: time, cause: cause, site: site, origin: origin)
    }
  }
}

extension Stage {
  mutating func append(
    _ body: Event.Body, time: UInt64, cause: UInt64?, site: String?, origin: Origin?
  ) throws(LogError) -> UInt64 {
    guard let origin else { return try append(body, time: time, cause: cause, site: site) }
    return try withOrigin(self.origin(origin)) { stage throws(LogError) in
      try stage.append(body, time: time, cause: cause, site: site)
    }
  }

  mutating func append(
    _ body: Event.Body, time: UInt64, cause: UInt64?, site: String?
  ) throws(LogError) -> UInt64 {
    var siteID: UInt32?
    if let site { siteID = try name(site) }
    switch body {
    case .set(let path, let value, let sameValue):
      return try set(self.path(path), value, sameValue: sameValue, time: time, cause: cause, site: siteID)
    case .splice(let path, let offset, let delete, let insert, let sameValue):
      return try splice(
        self.path(path), offset: offset, delete: delete, insert: insert, sameValue: sameValue, time: time,
        cause: cause, site: siteID)
    case .remove(let path, let sameValue):
      return try remove(self.path(path), sameValue: sameValue, time: time, cause: cause, site: siteID)
    case .projection(let name, let parent, let tracking):
      var parentID: UInt32?
      if let parent { parentID = try self.name(parent) }
      return try projection(
        self.name(name), parent: parentID, tracking: tracking, time: time, cause: cause, site: siteID)
    case .reads(let projection, let paths):
      var staged: [UInt64] = []
      for path in paths { staged.append(try self.path(path)) }
      return try reads(self.name(projection), paths: staged, time: time, cause: cause, site: siteID)
    case .invalidate(let projection, let causes):
      return try invalidate(self.name(projection), causes: causes, time: time, cause: cause, site: siteID)
    case .evaluate(let projection, let duration, let changed):
      return try evaluate(
        self.name(projection), duration: duration, changed: changed, time: time, cause: cause, site: siteID)
    case .dispose(let projection):
      return try dispose(self.name(projection), time: time, cause: cause, site: siteID)
    case .begin(let label): return try begin(label, time: time, cause: cause, site: siteID)
    case .end: return try end(time: time, cause: cause, site: siteID)
    case .mark(let label): return try mark(label, time: time, cause: cause, site: siteID)
    }
  }
}
