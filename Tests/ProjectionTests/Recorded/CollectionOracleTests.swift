import LogGenerator
import EventLog
import Foundation
import Invalidation
import Testing

@testable import Projection

/// Random programs on recorded collections, compared with plain ones: the contents are the same, the
/// projections whose reads differ by brute force are invalidated, and the log leads to the same contents and
/// invalidations.
@Suite struct CollectionOracleTests {
  static let seed = ProcessInfo.processInfo.environment["COLLECTIONS_SEED"].flatMap(UInt64.init) ?? 1
  static let programs = ProcessInfo.processInfo.environment["COLLECTIONS_PROGRAMS"].flatMap(UInt64.init) ?? 60

  @Test func randomProgramsDoTheSameToRecordedAndToPlainCollections() throws {
    for seed in Self.seed..<(Self.seed + Self.programs) {
      var random = SplitMix64(seed: seed)
      let program = (0..<Int.random(in: 5..<60, using: &random)).map { _ in Operation(&random) }
      guard try Self.problem(program) != nil else { continue }
      let least = try Self.shrunk(program)
      Issue.record("seed \(seed): \(try Self.problem(least) ?? "")\nafter \(least)")
      return
    }
  }

  /// The program without the steps that its failure does not need.
  private static func shrunk(_ program: [Operation]) throws -> [Operation] {
    var program = program
    var step = program.count / 2
    while step > 0 {
      var position = 0
      while position < program.count {
        var shorter = program
        shorter.removeSubrange(position..<min(program.count, position + step))
        if try problem(shorter) != nil { program = shorter } else { position += step }
      }
      step /= 2
    }
    return program
  }

  /// Runs a program, and returns the first error.
  private static func problem(_ program: [Operation]) throws -> String? {
    do { return try difference(program) } catch let error as StateError { return "\(error)" }
  }

  private static func difference(_ program: [Operation]) throws -> String? {
    let url = FileManager.default.temporaryDirectory.appending(path: "oracle-\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    var twins = Twins()
    session.attach(twins.shelf, as: "s")
    let invalidated = Invalidated()
    let looks = Look.all
    for look in looks {
      let shelf = twins.shelf
      session.projection(look.name) { _ in
        invalidated.names.insert(look.name)
        return look.read(shelf)
      }
    }
    for (number, operation) in program.enumerated() {
      let before = looks.map { $0.rule(twins) }
      invalidated.names = []
      // Some steps are transactions of two.
      if operation.a % 7 == 0 {
        session.transaction {
          twins.apply(operation)
          twins.apply(program[(number + 1) % program.count])
        }
      } else {
        twins.apply(operation)
      }
      if let difference = twins.difference { return "step \(number): \(difference)" }
      let expected = Set(zip(looks, before).filter { $0.rule(twins) != $1 }.map(\.0.name))
      if invalidated.names != expected {
        return """
          step \(number): invalidated \(invalidated.names.subtracting(expected)) for nothing, not \
          \(expected.subtracting(invalidated.names))
          """
      }
      if let difference = stateDifference(session.engine.coreState, twins) {
        return "step \(number): \(difference)"
      }
    }
    let unexpected = session.diagnostics.filter { !$0.message.contains("more than one element with the id") }
    if let first = unexpected.first { return first.message }
    try session.close()
    var timeline = Timeline()
    var derived: [String] = []
    var recorded: [String] = []
    try LogReader(path: url.path).forEachEvent { event in
      derived += try timeline.apply(event).map { "\($0.seq) \($0.projection) \($0.causes)" }
      if case .invalidate(let name, let causes) = event.body {
        recorded.append("\(event.cause ?? 0) \(name) \(causes)")
      }
    }
    if derived != recorded { return "the log leads to other invalidations than were recorded" }
    return stateDifference(timeline.state, twins)
  }

  private static func stateDifference(_ state: State, _ twins: Twins) -> String? {
    let rows = twins.rows.map { item -> Value in
      .map(["id": .int(Int64(item.id)), "title": "", "count": .int(Int64(item.count))])
    }
    let expected: [(String, Value)] = [
      ("rows", .array(rows)),
      ("lines", .array(twins.lines.map { .string($0) })),
      ("grid", .array(twins.grid.map { .array($0.map { .int(Int64($0)) }) })),
      ("scores", .map(.init(uniqueKeysWithValues: twins.scores.map { ($0, .int(Int64($1))) }))),
      (
        "lists",
        .map(.init(uniqueKeysWithValues: twins.lists.map { ($0, .array($1.map { .int(Int64($0)) })) }))
      ),
    ]
    for (name, value) in expected {
      let recorded = state.value(at: Path(root: .named("s"), components: [.property(name)]))
      if recorded != value { return "recorded \(name) \(recorded?.json ?? "-") for \(value.json)" }
    }
    for (index, book) in twins.books.enumerated() {
      let path = Path(root: .named("s"), components: [.property("books"), .index(index), .property("id")])
      if state.value(at: path) != .int(Int64(book.id)) { return "recorded books[\(index)]" }
    }
    return nil
  }

  private final class Invalidated {
    var names: Set<String> = []
  }
}
