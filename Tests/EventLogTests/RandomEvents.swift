import LogGenerator
import EventLog

/// Events of every kind with values of every case, unusual ones included.
struct RandomEvents {
  var random: SplitMix64
  private var seq: UInt64 = 0
  private var time: UInt64 = 0

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func events(_ count: Int) -> [Event] { (0..<count).map { _ in event() } }

  mutating func event() -> Event {
    seq += 1
    // Mostly forwards, sometimes back, rarely anywhere.
    switch pick(20) {
    case 0: time = random.next()
    case 1: time &-= UInt64(pick(1000))
    default: time &+= UInt64(pick(1_000_000))
    }
    let cause = seq > 1 && pick(3) == 0 ? UInt64(pick(Int(seq) - 1)) + 1 : nil
    return Event(
      seq: seq, time: time, cause: cause, site: pick(4) == 0 ? "File\(pick(3)).swift:\(pick(9))" : nil,
      origin: pick(8) == 0 ? origin() : nil, body: body())
  }

  private mutating func origin() -> Origin {
    Origin(
      thread: flip() ? text() : nil, task: flip() ? text() : nil, stack: flip() ? text() : nil,
      strand: pick(3) == 0 ? pick(256) : 0)
  }

  private mutating func body() -> Event.Body {
    switch pick(16) {
    case 0, 1, 2, 3: return .set(path(), value(depth: 0), sameValue: flip())
    case 4:
      let insert: Value = flip() ? .string(text()) : .array((0..<pick(3)).map { _ in value(depth: 2) })
      return .splice(path(), offset: pick(100), delete: pick(5), insert: insert, sameValue: flip())
    case 5: return .remove(path(), sameValue: flip())
    case 6:
      let tracking = Tracking.allCases[pick(3)]
      return .projection(name: projection(), parent: flip() ? projection() : nil, tracking: tracking)
    case 7:
      let paths = (0..<pick(5)).map { _ in path() }
      return .reads(
        projection: projection(),
        flip() ? .paths(paths) : .change(added: paths, dropped: (0..<pick(3)).map { _ in path() }))
    case 8:
      let causes = seq > 1 ? (0..<pick(4)).map { _ in UInt64(pick(Int(seq) - 1)) + 1 } : []
      return .invalidate(projection: projection(), causes: causes)
    case 9:
      return .evaluate(
        projection: projection(), duration: number(), changed: [nil, true, false][pick(3)],
        inputChanged: [nil, true, false][pick(3)], comparing: flip() ? number() : 0)
    case 10: return .dispose(projection: projection())
    case 11: return .begin(label: flip() ? text() : nil)
    case 12: return .end
    case 13: return .action(label: text())
    case 14: return .finish([.returned, .threw, .cancelled][pick(3)])
    default: return .mark(label: text())
    }
  }

  mutating func value(depth: Int) -> Value {
    switch pick(depth > 3 ? 10 : 14) {
    case 0: return .null
    case 1: return .bool(flip())
    case 2, 3: return .int(Int64(bitPattern: number()))
    case 4: return .uint(UInt64(Int64.max) + 1 + UInt64(pick(1000)))
    case 5: return flip() ? .double(double()) : .date(double())
    case 6: return .string(text())
    case 7: return .bytes((0..<pick(20)).map { _ in UInt8(pick(256)) })
    case 8: return flip() ? .redacted : .reference(object())
    case 9: return .opaque(type: "Type\(pick(3))", identity: number())
    case 10: return .array((0..<pick(5)).map { _ in value(depth: depth + 1) })
    case 11, 12: return .map(fields(depth: depth))
    default:
      return .object(ObjectDefinition(id: object(), type: "Row", fields: fields(depth: depth)))
    }
  }

  private mutating func fields(depth: Int) -> NamedValues<Value> {
    var fields: NamedValues<Value> = [:]
    for _ in 0..<pick(4) { fields[text()] = value(depth: depth + 1) }
    return fields
  }

  private mutating func path() -> Path {
    let root: Path.Root =
      pick(5) == 0
      ? .object(ObjectID(UInt64(pick(20)) + 1)) : .named(["store", "app", "é", "e\u{301}"][pick(4)])
    return Path(
      root: root,
      components: (0..<pick(4)).map { _ in
        switch pick(9) {
        case 0, 1, 2: .property(["rows", "count", "title", "\u{AC01}", "\u{1100}\u{1161}\u{11A8}"][pick(5)])
        case 3, 4: .index(pick(50))
        case 5: .key(text())
        case 6: .id([.int(Int64(pick(9))), .string(text()), .bool(true), .double(0), .double(-0.0)][pick(5)])
        case 7: .count
        default: flip() ? .order : .exists
        }
      })
  }

  private mutating func projection() -> String { ["Row", "é", "e\u{301}"][pick(3)] + "#\(pick(4))" }

  private mutating func text() -> String {
    [
      "", "a", "playing", "ü\u{301}", "e\u{301}", "é", "\u{0}\n\"", "👩‍👩‍👧",
      String(repeating: "long ", count: 30),
    ][pick(9)]
  }

  private mutating func double() -> Double {
    switch pick(6) {
    case 0: Double(bitPattern: random.next())
    case 1:
      [
        -0.0, 0.0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude,
        Double(bitPattern: 0x7FF8_0000_0000_1234),
      ][pick(7)]
    default: Double(pick(1000)) / 10
    }
  }

  private mutating func object() -> ObjectID { ObjectID(max(number(), 1)) }
  private mutating func number() -> UInt64 { random.next() >> UInt64(pick(64)) }
  private mutating func flip() -> Bool { pick(2) == 0 }
  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
}

/// All fields of an event, including bits that `==` ignores.
func exact(_ events: [Event]) -> [String] {
  events.map { event in
    var out = ""
    dump(event, to: &out)
    for value in values(event.body) { bits(value, into: &out) }
    return out
  }
}

private func values(_ body: Event.Body) -> [Value] {
  switch body {
  case .set(_, let value, _), .splice(_, _, _, let value, _): [value]
  default: []
  }
}

private func bits(_ value: Value, into out: inout String) {
  switch value {
  case .double(let value): out += "\(value.bitPattern) "
  case .string(let text): out += "\(Array(text.utf8)) "
  case .array(let values): for value in values { bits(value, into: &out) }
  case .map(let fields): bits(fields, into: &out)
  case .object(let definition): bits(definition.fields, into: &out)
  default: break
  }
}

private func bits(_ fields: NamedValues<Value>, into out: inout String) {
  for (key, value) in fields {
    out += "\(Array(key.utf8)) "
    bits(value, into: &out)
  }
}
