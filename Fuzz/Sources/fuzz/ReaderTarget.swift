@testable import EventLog

/// Opens the input as a log, reads every event, folds the state, and prints each event as a line and back.
enum ReaderTarget: FuzzTarget {
  static let name = "reader"
  /// The number of events that are also printed and parsed; more take long and find nothing new.
  private static let printedEventsMax = 200

  static func run(_ input: [UInt8]) {
    let bytes = Recipe(input)?.bake() ?? input
    // Opens it by its index if it is closed, and by a scan of every block.
    for isScanned in [false, true] {
      do { try read(FuzzedFile(bytes), scanned: isScanned) } catch let error as LogError {
        check(error)
      } catch {
        fatalError("an error that is none of a log: \(error)")
      }
    }
  }

  static func mutate(_ input: [UInt8], limit: Int, seed: UInt32) -> [UInt8] {
    guard let recipe = Recipe(input) else { return mutated(input, limit: limit) }
    return recipe.mutated(limit: limit, seed: seed).bytes
  }

  /// Bad bytes must give one of these codes; any other code is a bug.
  static func check(_ error: LogError) {
    let expected: [LogError.Code] = [
      .notALog, .torn, .damaged, .missingState, .invalidEvent, .wrongIndex,
    ]
    expect(expected.contains(error.code), "\(error)")
    if error.code == .damaged { expect(error.byteOffset != nil, "damage without a place: \(error)") }
  }

  static func read(_ file: FuzzedFile, scanned: Bool) throws {
    let log = try LogReader(file: file, path: "fuzz", scanned: scanned)
    var state: State? = State()
    var printed = 0
    var last: UInt64?
    var firstError: (any Error)?
    do {
      try log.forEachEvent { event in
        expect(last == nil || event.seq == last! + 1, "a hole before event \(event.seq)")
        last = event.seq
        // Events that decode may not fit the state; after the first such event there is no state.
        do { _ = try state?.apply(event) } catch { state = nil }
        if printed < printedEventsMax { checkText(of: event) }
        printed += 1
      }
    } catch { firstError = error }
    look(into: log)
    if let last { expect(log.block(containing: last) != nil, "no block has event \(last)") }
    if let firstError { throw firstError }
  }

  /// Asks questions that the index and checkpoints answer; both may be wrong.
  private static func look(into log: LogReader) {
    _ = log.totals()
    let ends = log.blocks.suffix(4).flatMap { [$0.firstSeq, $0.endSeq] }
    for place in [0, 1, log.firstSeq, log.nextSeq / 2, log.nextSeq, .max] + ends {
      do { _ = try log.state(at: place) } catch { check(error) }
      _ = log.block(containing: place)
    }
    for block in log.blocks.prefix(16) { _ = log.openTransactions(before: block) }
    for range in log.checkpoints {
      do { _ = try log.checkpoint(range) } catch { check(error) }
    }
    var blocks = log.blocks(naming: { $0.hasPrefix("P") })
    if let pattern = try? PathPattern(parsing: "**.rows[*]") { blocks += log.blocks(writing: pattern) }
    for block in blocks.prefix(4) {
      do { _ = try log.events(in: block) } catch { check(error) }
    }
  }

  /// Checks that a printed event parses as the same event, or, if it fits no state, is refused with a column.
  private static func checkText(of event: Event) {
    let line = event.json(statesSameValue: true)
    let again: Event
    do { again = try Event(parsing: line) } catch {
      expect(!canBeWritten(event.body), "\(line) does not read: \(error)")
      return
    }
    expect(again.json(statesSameValue: true) == line, "\(line) reads as \(again.json())")
  }

  /// Whether text can express a write. A block can hold a write of an aspect, and an insert that is neither text nor a
  /// list, but text cannot.
  private static func canBeWritten(_ body: Event.Body) -> Bool {
    switch body {
    case .set(let path, _, _), .remove(let path, _): !path.components.contains(where: \.isAspect)
    case .splice(let path, _, _, .string, _), .splice(let path, _, _, .array, _):
      !path.components.contains(where: \.isAspect)
    case .splice: false
    default: true
    }
  }
}
