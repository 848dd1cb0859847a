import EventLog
import Invalidation

/// The runs in progress on all threads, and the changes made meanwhile. A change may make what a run has read
/// out of date before the run ends.
struct RunsUnderWay {
  /// A change of a property.
  struct Change {
    let seq: UInt64
    let property: SlotID
    let isSame: Bool
  }

  private(set) var count = 0
  private var changes: [Change] = []
  /// The objects that were attached meanwhile, and the threads that attached them.
  private var attachers: [ObjectID: UInt] = [:]

  // These are `mutating`, as are other questions that each set or flush asks of a part of the engine's state: in an app's
  // debug build this package is optimised file by file, and another file would copy the part to ask it.
  var isNone: Bool {
    @inline(__always) mutating get { count == 0 }
  }

  /// Whether nothing has changed that a run in progress may have read before.
  var hasNoChanges: Bool {
    @inline(__always) mutating get { changes.isEmpty }
  }

  mutating func begin() { count += 1 }

  mutating func end() { count -= 1 }

  mutating func markChange(of property: SlotID, isSame: Bool, by seq: UInt64) {
    if count > 0 { changes.append(Change(seq: seq, property: property, isSame: isSame)) }
  }

  /// Records that this thread attached an object.
  mutating func markAttached(_ object: ObjectID) {
    if count > 0 { attachers[object] = RecursiveLock.currentThread }
  }

  /// The changes that a run may have missed, the last one first. The run has seen all changes before its
  /// first read.
  func changes(during run: Frame) -> some Sequence<Change> {
    changes.reversed().prefix { run.mayHaveRead(before: $0.seq) }
  }

  /// The thread that attached an object meanwhile, if any.
  func attacher(of object: ObjectID) -> UInt? { attachers[object] }

  /// Drops the changes if only one run is in progress, which has just examined them.
  mutating func forgetIfLast() {
    if count > 1 { return }
    changes.removeEach()
    if !attachers.isEmpty { attachers = [:] }
  }
}
