import EventLog
import Invalidation

/// The runs under way, on any thread, and what happened meanwhile: what a run read before that may be out of date when
/// the run ends.
struct RunsUnderWay {
  /// A change of a property.
  struct Change {
    let seq: UInt64
    let property: SlotID
    let isSame: Bool
  }

  private(set) var count = 0
  private var changes: [Change] = []
  /// The objects that were attached, and the threads that attached them.
  private var attachers: [ObjectID: UInt] = [:]

  var isNone: Bool {
    @inline(__always) get { count == 0 }
  }

  /// Whether nothing has changed that a run under way may have read before.
  var hasNoChanges: Bool {
    @inline(__always) get { changes.isEmpty }
  }

  mutating func begin() { count += 1 }

  mutating func end() { count -= 1 }

  mutating func noteChange(of property: SlotID, isSame: Bool, by seq: UInt64) {
    if count > 0 { changes.append(Change(seq: seq, property: property, isSame: isSame)) }
  }

  /// Notes that this thread attached an object.
  mutating func noteAttached(_ object: ObjectID) {
    if count > 0 { attachers[object] = RecursiveLock.currentThread }
  }

  /// The changes that a run may not have seen, the last first. It has seen all before its first read.
  func changes(during run: Frame) -> some Sequence<Change> {
    changes.reversed().prefix { run.mayHaveRead(before: $0.seq) }
  }

  /// The thread that attached an object meanwhile.
  func attacher(of object: ObjectID) -> UInt? { attachers[object] }

  /// Forgets what happened if only one run is under way, which has just looked at it.
  mutating func forgetIfLast() {
    if count > 1 { return }
    changes.removeEach()
    if !attachers.isEmpty { attachers = [:] }
  }
}
