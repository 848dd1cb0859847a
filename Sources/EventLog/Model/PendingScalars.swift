/// The last values of places in the state whose sets were not carried out yet, by keys of the caller.
///
/// Only a scalar that replaces a scalar may wait, and no id: such a set changes neither what paths lead to nor what any other
/// event does, but for those that read or replace the value itself. So of many sets of one place the last is enough. Keys
/// that lead to one place share its slot.
package struct PendingScalars: Sendable {
  private struct Slot: Sendable {
    let place: Place
    var value = Value.null
    var isWaiting = false
  }

  /// The slot of each open key.
  private var keys = EpochMap<Int, UInt32>()
  private var slots: [Slot] = []
  private var slotNumbers: [Place: UInt32] = [:]
  private var waiting: [UInt32] = []

  package init() {}

  /// Whether nothing waits.
  package var isEmpty: Bool { waiting.isEmpty }

  /// Whether a key is open.
  @inline(__always)
  package func isOpen(_ key: Int) -> Bool { keys[key] != nil }

  /// Lets a value wait; false when the key is not open.
  @inline(__always)
  package mutating func put(_ value: Value, at key: Int) -> Bool {
    guard let slot = keys[key] else { return false }
    if Self.put(value, in: &slots[Int(slot)]) { waiting.append(slot) }
    return true
  }

  /// Returns whether nothing waited there before.
  @inline(__always)
  private static func put(_ value: Value, in slot: inout Slot) -> Bool {
    defer { slot.isWaiting = true }
    slot.value = value
    return !slot.isWaiting
  }

  /// The value at the place of an open key: what waits there, or what the state holds. Nil where the key is not open.
  package func value(at key: Int, in state: State) -> Value? {
    guard let key = keys[key] else { return nil }
    let slot = slots[Int(key)]
    return slot.isWaiting ? slot.value : state.value(at: slot.place)
  }

  /// Opens a key for a place that the state holds a scalar at.
  package mutating func open(_ key: Int, at place: Place) {
    // Paths that name an element differently lead to the same place.
    let place = place.withoutIDs
    let slot = slotNumbers[place] ?? UInt32(slots.count)
    if slot == slots.count {
      slots.append(Slot(place: place))
      slotNumbers[place] = slot
    }
    keys.set(key, slot)
  }

  /// Carries out what waits.
  package mutating func flush(into state: inout State) {
    for slot in waiting {
      _ = state.replaceScalar(at: slots[Int(slot)].place, by: slots[Int(slot)].value)
      slots[Int(slot)].isWaiting = false
    }
    waiting.removeAll(keepingCapacity: true)
  }

  /// Closes all keys, because paths may lead elsewhere. Call it only when nothing waits.
  package mutating func close() {
    keys.removeAll()
    if !slots.isEmpty {
      slots.removeAll(keepingCapacity: true)
      slotNumbers.removeAll(keepingCapacity: true)
    }
  }
}

extension Place {
  /// The same place, with elements by their offsets alone.
  fileprivate var withoutIDs: Place {
    var place = self
    for position in steps.indices {
      if case .element(let index, .some) = steps[position] {
        place.steps[position] = .element(index: index, id: nil)
      }
    }
    return place
  }
}
