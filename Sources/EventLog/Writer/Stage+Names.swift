/// Names, and who makes an event, as a chunk has them.
extension Stage {
  /// Appends rows that say who made them.
  mutating func withOrigin<T>(
    _ origin: StagedOrigin?, _ body: (inout Stage) throws(LogError) -> T
  ) throws(LogError) -> T {
    self.origin = origin
    defer { self.origin = nil }
    return try body(&self)
  }

  /// The staged names of an origin. Cost: a hash of each text.
  mutating func origin(_ origin: Origin) throws(LogError) -> StagedOrigin {
    var staged = StagedOrigin()
    if let thread = origin.thread { staged.thread = UInt64(try name(thread)) + 1 }
    if let task = origin.task { staged.task = UInt64(try name(task)) + 1 }
    if let stack = origin.stack { staged.stack = UInt64(try name(stack)) + 1 }
    return staged
  }

  /// The staged id of a name, defined if it is new. Cost: one hash.
  mutating func name(_ name: String) throws(LogError) -> UInt32 {
    if let id = names[ExactString(name)] { return id }
    try check(name, "a name")
    let id = UInt32(names.count)
    names[ExactString(name)] = id
    chunk.rows.append(StagedCode.name)
    chunk.rows.append(name)
    return id
  }

  func check(_ text: String, _ what: String) throws(LogError) {
    if !isExact, text.utf8.count > StageLimit.nameBytesMax {
      throw tooLarge("\(what) of \(text.utf8.count) bytes is over \(StageLimit.nameBytesMax)")
    }
  }

  func check(name: UInt32?) throws(LogError) {
    if let name, name >= names.count { throw invalid("name \(name) was never defined") }
  }
}
