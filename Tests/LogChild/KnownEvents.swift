import EventLog

/// Events that can be generated again from their seed, to compare them with the record of a killed process.
package struct KnownEvents {
  package let seed: UInt64

  package init(seed: UInt64) { self.seed = seed }

  /// The event with a seq, from 1.
  package func event(_ seq: UInt64) -> Event {
    let number = mixed(seq)
    return Event(seq: seq, time: (seq * 1000 + number % 1000) * 1000, body: body(seq, number))
  }

  private func body(_ seq: UInt64, _ number: UInt64) -> Event.Body {
    let store = Path(root: .named("store"))
    if seq == 1 {
      let fields: Value = .object(
        ObjectDefinition(
          id: ObjectID(1), type: "Store", fields: ["rows": .array([0, 0, 0, 0]), "text": "", "count": 0]))
      return .set(store, fields, sameValue: false)
    }
    switch number % 5 {
    case 0:
      let path = Path(root: .named("store"), components: [.property("rows"), .index(Int(number >> 8 & 3))])
      return .set(path, .int(Int64(bitPattern: number)), sameValue: false)
    case 1:
      let path = Path(root: .named("store"), components: [.property("text")])
      // The length varies, so that blocks end anywhere.
      return .set(
        path, .string(String(repeating: "\(number) ", count: Int(number >> 8 & 7))), sameValue: false)
    case 2: return .mark(label: "\(number)")
    default:
      let path = Path(root: .named("store"), components: [.property("count")])
      return .set(path, .int(Int64(seq)), sameValue: false)
    }
  }

  private func mixed(_ seq: UInt64) -> UInt64 {
    var z = seed &+ seq &* 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
