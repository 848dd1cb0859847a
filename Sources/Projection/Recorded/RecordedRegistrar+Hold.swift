/// A promise of ``RecordedRegistrar`` to run nothing yet.
public struct RecordedHold {
  let engine: Engine?
}

extension RecordedRegistrar {
  /// Records as ever, and runs nothing before ``release(_:)``: projections must not see an object between a
  /// store and the end of the `didSet` that puts the rest of it in order.
  public func hold() -> RecordedHold {
    let engine = attachment?.engine
    engine?.hold()
    return RecordedHold(engine: engine)
  }

  /// Whether a mutation in place from a value, if it was kept, changed anything.
  public func isChange<Member>(from old: Member?, to new: Member) -> Bool {
    guard let old else { return true }
    return Frame.untracked { !(isSame(old, new) ?? false) }
  }

  /// Runs what became out of date during the hold, if it was the outermost.
  public func release(_ hold: RecordedHold) { hold.engine?.release() }
}

extension Engine {
  func hold() { lock.withLock { own.holds += 1 } }

  func release() {
    lock.withLock { own.holds -= 1 }
    flush()
  }
}
