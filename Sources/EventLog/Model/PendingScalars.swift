/// The last values of places whose sets were not carried out yet, by a key of the caller's.
///
/// Only a scalar in the place of a scalar may wait, and no id: such a set changes neither what paths lead to nor
/// what any other event does, but for those that read or replace the value itself. So of many sets of one place the
/// last is enough.
struct PendingScalars: Sendable {
  private struct Slot: Sendable {
    var generation: UInt32 = 0
    var place = Place(owner: .roots, steps: [])
    var value = Value.null
    /// When it was set last; 0 when nothing waits.
    var turn: UInt64 = 0
  }

  private var slots: [Slot] = []
  private var waiting: [Int] = []
  private var generation: UInt32 = 1
  private var turn: UInt64 = 0

  /// Whether nothing waits.
  var isEmpty: Bool { waiting.isEmpty }

  /// Lets a value wait; false when the key is not open.
  @inline(__always)
  mutating func put(_ value: Value, at key: Int) -> Bool {
    guard key < slots.count, slots[key].generation == generation else { return false }
    turn &+= 1
    if Self.put(value, turn, in: &slots[key]) { waiting.append(key) }
    return true
  }

  /// Returns whether nothing waited there before.
  @inline(__always)
  private static func put(_ value: Value, _ turn: UInt64, in slot: inout Slot) -> Bool {
    defer { slot.turn = turn }
    slot.value = value
    return slot.turn == 0
  }

  /// Opens a key for a place that the state holds a scalar at.
  mutating func open(_ key: Int, at place: Place) {
    if key >= slots.count { slots.append(contentsOf: repeatElement(Slot(), count: key + 1 - slots.count)) }
    slots[key] = Slot(generation: generation, place: place)
  }

  /// Gives what waits, in the order of the last sets: two keys may lead to one place.
  mutating func flush(_ body: (Place, Value) -> Void) {
    if waiting.count > 1 { waiting.sort { slots[$0].turn < slots[$1].turn } }
    for key in waiting {
      body(slots[key].place, slots[key].value)
      slots[key].turn = 0
    }
    waiting.removeAll(keepingCapacity: true)
  }

  /// Closes all keys, because paths may lead elsewhere. Call it only when nothing waits.
  mutating func close() {
    generation &+= 1
    // Once in four billion times the numbers start over.
    if generation == 0 {
      slots.removeAll()
      generation = 1
    }
  }
}
