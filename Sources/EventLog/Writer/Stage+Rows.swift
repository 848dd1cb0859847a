/// The row of each kind of event. Every function checks first and stages last, so that one that throws leaves
/// no half of a row behind.
extension Stage {
  @inline(__always)
  mutating func set(
    _ path: UInt64, _ value: Value, sameValue: Bool, time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    let code = EventCode.set | (sameValue ? EventFlag.sameValue : 0)
    if case .int(let number) = value {
      return try setInt(path, number, code, time: time, cause: cause, site: site)
    }
    try check(value)
    try beginRow(code, time: time, cause: cause, site: site)
    put(path)
    put(value)
    return endRow()
  }

  @inline(__always)
  mutating func splice(
    _ path: UInt64, offset: Int, delete: Int, insert: Value, sameValue: Bool, time: UInt64, cause: UInt64?,
    site: UInt32?
  ) throws(LogError) -> UInt64 {
    if offset < 0 || delete < 0 { throw invalid("a splice at \(offset) that deletes \(delete) is negative") }
    try check(insert)
    let flags = sameValue ? EventFlag.sameValue : 0
    try beginRow(EventCode.splice | flags, time: time, cause: cause, site: site)
    put(path)
    put(UInt64(offset))
    put(UInt64(delete))
    put(insert)
    return endRow()
  }

  mutating func remove(
    _ path: UInt64, sameValue: Bool, time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    try beginRow(
      EventCode.remove | (sameValue ? EventFlag.sameValue : 0), time: time, cause: cause, site: site)
    put(path)
    return endRow()
  }

  mutating func projection(
    _ name: UInt32, parent: UInt32?, tracking: Tracking, time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    try check(name: name)
    try check(name: parent)
    let flags = (parent == nil ? 0 : EventFlag.named) | tracking.code << EventFlag.trackingShift
    try beginRow(EventCode.projection | flags, time: time, cause: cause, site: site)
    put(UInt64(name))
    if let parent { put(UInt64(parent)) }
    return endRow()
  }

  mutating func reads(
    _ projection: UInt32, paths: [UInt64], time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    try check(name: projection)
    let steps = paths.reduce(0) { $0 + depth($1) + 1 }
    if !isExact, paths.count > StageLimit.listMax || steps > StageLimit.stepsMax {
      throw tooLarge("a projection that reads \(paths.count) places, \(steps) steps in all, is over a limit")
    }
    try beginRow(EventCode.reads, time: time, cause: cause, site: site)
    put(UInt64(projection))
    putList(paths) { $0 }
    return endRow()
  }

  /// The same for one cause, which leads to the row itself as well.
  mutating func invalidate(_ projection: UInt32, by cause: UInt64, time: UInt64) throws(LogError) -> UInt64 {
    try check(name: projection)
    return try invalidation(UInt64(projection), by: cause, time: time)
  }

  mutating func invalidate(
    _ projection: UInt32, causes: [UInt64], time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    try check(name: projection)
    if !isExact, causes.count > StageLimit.listMax {
      throw tooLarge("an invalidation by \(causes.count) events is over a limit")
    }
    let seq = nextSeq
    for cause in causes where cause == 0 || cause >= seq {
      throw invalid("cause \(cause) of event \(seq) is not before it")
    }
    try beginRow(EventCode.invalidate, time: time, cause: cause, site: site)
    put(UInt64(projection))
    putList(causes) { seq - $0 }
    return endRow()
  }

  mutating func evaluate(
    _ projection: UInt32, duration: UInt64, changed: Bool?, time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    try check(name: projection)
    let changed: UInt8 = changed.map { $0 ? 2 : 1 } ?? 0
    return try row(
      EventCode.evaluate | changed << EventFlag.changedShift, UInt64(projection), timeUnit.duration(duration),
      time: time, cause: cause, site: site)
  }

  mutating func dispose(
    _ projection: UInt32, time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    try check(name: projection)
    try beginRow(EventCode.dispose, time: time, cause: cause, site: site)
    put(UInt64(projection))
    return endRow()
  }

  mutating func begin(_ label: String?, time: UInt64, cause: UInt64?, site: UInt32?) throws(LogError)
    -> UInt64
  {
    if let label { try check(label, "a label") }
    try beginRow(EventCode.begin | (label == nil ? 0 : EventFlag.named), time: time, cause: cause, site: site)
    if let label { put(label: label) }
    return endRow()
  }

  mutating func end(time: UInt64, cause: UInt64?, site: UInt32?) throws(LogError) -> UInt64 {
    try beginRow(EventCode.end, time: time, cause: cause, site: site)
    return endRow()
  }

  mutating func mark(_ label: String, time: UInt64, cause: UInt64?, site: UInt32?) throws(LogError) -> UInt64
  {
    try check(label, "a label")
    try beginRow(EventCode.mark, time: time, cause: cause, site: site)
    put(label: label)
    return endRow()
  }
}
