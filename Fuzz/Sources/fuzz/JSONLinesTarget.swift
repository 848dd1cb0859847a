@testable import EventLog

/// Reads the input as lines of JSON as `replay import` does, each applied to the state so far.
enum JSONLinesTarget: FuzzTarget {
  static let name = "json-lines"

  static func run(_ input: [UInt8]) {
    var importer = LineImporter()
    for line in input.split(separator: 0x0A) {
      do throws(TextError) { try importer.take(Array(line)) } catch {
        expect(error.column >= 1 && error.column <= line.count + 1, "\(error) in \(line.count) bytes")
        return
      }
    }
  }

  static func mutate(_ input: [UInt8], limit: Int, seed: UInt32) -> [UInt8] {
    var random = FuzzRandom(seed: seed)
    var lines = input.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
    // Mostly changes the bytes of one line, sometimes the order or number of lines.
    let index = random.below(lines.count)
    switch random.below(12) {
    case 0: lines.insert(lines[random.below(lines.count)], at: index)
    case 1: if lines.count > 1 { lines.remove(at: index) }
    case 2: lines.swapAt(index, random.below(lines.count))
    case 3: return mutated(input, limit: limit)
    default: lines[index] = mutated(lines[index], limit: lines[index].count + 64)
    }
    return Array(lines.joined(separator: [0x0A]))
  }
}

/// Does what `replay import` does with a line, without the timeline of projections.
private struct LineImporter {
  private var state = State()
  private var seq: UInt64 = 0

  mutating func take(_ line: [UInt8]) throws(TextError) {
    var naming = StateNaming(state)
    let parsed = try ParsedEvent(parsing: line, naming: &naming)
    let sameValue = parsed.sameValue ?? state.wouldStaySame(parsed.body)
    var event = parsed.event(seq: seq + 1, time: 0, sameValue: sameValue)
    event.seq = seq + 1
    do { _ = try state.apply(event) } catch {
      throw TextError(.reference, column: 1, error.description)
    }
    seq += 1
    check(event)
  }

  /// Checks that an accepted line prints as the same event.
  private func check(_ event: Event) {
    let line = event.json(statesSameValue: true)
    guard let again = try? Event(parsing: line) else { fatalError("\(line) does not read") }
    expect(again.json(statesSameValue: true) == line, "\(line) reads as \(again.json())")
  }
}

/// Names objects as the state so far knows them.
private struct StateNaming: ObjectNaming {
  private let state: State
  private var next: ObjectID

  init(_ state: State) {
    self.state = state
    next = state.freeObjectID
  }

  func object(at path: Path) -> ObjectID? {
    if case .object(let id) = path.root, path.components.isEmpty { return id }
    if case .reference(let id)? = state.value(at: path) { return id }
    return nil
  }

  mutating func nextObject() -> ObjectID? {
    defer { next = next.next }
    return next
  }

  mutating func define(_ object: ObjectID) {
    if object >= next { next = object.next }
  }
}
