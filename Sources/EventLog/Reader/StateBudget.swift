/// Bounds what the events of a log make a state hold.
///
/// What an event adds is counted, which takes a few steps; only when that might exceed the limit is the state
/// measured. So a state may exceed it by a quarter before that is noticed.
package struct StateBudget: Sendable {
  /// Nil for a state of any size, as that of a program that is recorded.
  let limits: ReadLimits?
  /// An upper bound of what was added since the state was measured, in bytes.
  private var growth = 0
  /// The growth after which the state is measured, and the work after which no event follows.
  private var (allowance, workMax) = (Int.max, UInt64.max)

  package init(_ limits: ReadLimits?) {
    self.limits = limits
    if let limits { (allowance, workMax) = (limits.stateBytes, limits.work) }
  }

  /// Counts what an event added to the state.
  package mutating func add(_ body: Event.Body) {
    if limits == nil { return }
    switch body {
    case .set(let path, let value, _): add(value, at: path.components.last?.name)
    case .splice(_, _, _, let insert, _): add(insert, at: nil)
    default: break
    }
  }

  private mutating func add(_ value: Value, at name: String?) {
    // A reference may make an object, which is defined later.
    growth += value.bytesHeld(reference: State.objectBytes) + Value.entryBytes + (name?.utf8.count ?? 0)
  }

  /// Counts a text that replaced a scalar, or was inserted in one; other values add nothing.
  @inline(__always)
  package mutating func add(text: borrowing Value) {
    if text.isText { growth += text.scalarBytes }
  }

  /// Counts bytes that are held beside the state.
  package mutating func add(_ bytes: Int) { growth += bytes }

  /// Whether ``check(_:and:)`` must be called. Cost: two comparisons.
  @inline(__always)
  package func isDue(at work: UInt64) -> Bool { growth > allowance || work > workMax }

  /// Measures the state. Throws if it is too large, or if the events so far took too much work. Cost: linear
  /// in the state.
  ///
  /// - Parameter others: The bytes that are held beside it.
  package mutating func check(_ state: borrowing State, and others: Int = 0) throws(StateError) {
    guard let limits else { return }
    if state.work > workMax {
      throw .overLimit("the events up to here move over \(workMax >> 30) GiB within long arrays and texts")
    }
    let held = state.bytesHeld + others
    guard held <= limits.stateBytes else {
      throw .overLimit("the state and its readers would take over \(limits.stateBytes >> 20) MiB")
    }
    growth = 0
    allowance = max(limits.stateBytes - held, limits.stateBytes / 4)
  }
}

// MARK: Sizes

extension Value {
  /// About the bytes that an entry of a map, or a property of an object, takes beside its name and what its
  /// value holds.
  static var entryBytes: Int { 2 * MemoryLayout<Value>.stride + 16 }

  /// Whether it is a scalar that may hold memory.
  @inline(__always)
  var isText: Bool {
    switch self {
    case .string, .bytes: true
    default: false
    }
  }

  /// The bytes that a text or bytes hold.
  fileprivate var scalarBytes: Int {
    switch self {
    // A short string is within the value.
    case .string(let text): text.utf8.count < 16 ? 0 : text.utf8.count + 32
    case .bytes(let bytes): bytes.count + 32
    default: 0
    }
  }

  /// About the bytes that the value holds beside itself. Cost: linear in its parts.
  ///
  /// - Parameter reference: The bytes that a reference counts.
  fileprivate func bytesHeld(reference: Int) -> Int {
    switch self {
    case .array(let elements):
      elements.reduce(32 + elements.count * MemoryLayout<Value>.stride) {
        $0 + $1.bytesHeld(reference: reference)
      }
    case .map(let fields): fields.bytesHeld(reference: reference)
    case .object(let definition): State.objectBytes + definition.fields.bytesHeld(reference: reference)
    case .reference: reference
    default: scalarBytes
    }
  }
}

extension NamedValues<Value> {
  fileprivate func bytesHeld(reference: Int) -> Int {
    reduce(128) { $0 + $1.value.bytesHeld(reference: reference) + Value.entryBytes + $1.key.utf8.count }
  }
}

extension State {
  /// About the bytes that an object takes without its properties.
  fileprivate static var objectBytes: Int { MemoryLayout<Object>.stride + 128 }

  /// About the bytes that the state takes. Cost: linear in its parts.
  fileprivate var bytesHeld: Int {
    var bytes = 0
    for (_, object) in objects {
      // Objects of one type share the names of their properties.
      bytes += Self.objectBytes + object.type.utf8.count + object.fields.count * Value.entryBytes
      for value in object.fields.values { bytes += value.bytesHeld(reference: 0) }
    }
    for layout in layouts.values { for (name, _) in layout { bytes += name.utf8.count } }
    return bytes
  }
}
