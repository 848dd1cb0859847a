import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// The values and reads that `why` reports are those of the events, although it reads only part of the log.
@Suite struct WhyDetailsTests {
  /// The reads of a log's projections, event by event.
  private struct ReadModel {
    private struct Known {
      var paths: [Path] = []
    }

    /// A path, and its name at the time.
    struct Read: Equatable {
      var path: Path
      var name: Path

      /// Whether both are the same, in either spelling.
      func isOfSlot(of other: Read) -> Bool { ReadModel.slot(path) == ReadModel.slot(other.path) }
    }

    private var known: [String: Known] = [:]
    /// The reads of each evaluation, and those of the same projection's previous evaluation.
    private(set) var evaluations:
      [(seq: UInt64, projection: String, reads: [Read]?, before: [Read]?, state: State)] = []

    mutating func apply(_ body: Event.Body, seq: UInt64, _ state: () throws -> State) rethrows {
      switch body {
      case .projection(let name, _, _): known[name] = Known()
      case .dispose(let name): known[name] = nil
      case .reads(let name, let reads):
        let state = try state()
        let (before, added, dropped): ([Path], [Path], [Path]) =
          switch reads {
          case .paths(let paths): ([], paths, [])
          case .change(let added, let dropped): (known[name]?.paths ?? [], added, dropped)
          }
        let gone = dropped.map { Self.slot(state.bound($0)) }
        var all: [Path] = []
        for path in before.filter({ !gone.contains(Self.slot($0)) }) + added.map({ state.bound($0) })
        where !all.contains(where: { Self.slot($0) == Self.slot(path) }) { all.append(path) }
        known[name] = Known(paths: all)
      case .evaluate(let name, _, _, _, _):
        let before = evaluations.last { $0.projection == name }?.reads
        let state = try state()
        let reads = known[name].map { known in
          known.paths.map { Read(path: $0, name: ReadModel.name(of: $0, in: state)) }
        }
        evaluations.append((seq, name, reads, before, state))
      default: break
      }
    }

    /// The path with one spelling for `.a` and `["a"]`.
    static func slot(_ path: Path) -> Path {
      Path(
        root: path.root,
        components: path.components.map { if case .key(let name) = $0 { .property(name) } else { $0 } })
    }

    static func name(of path: Path, in state: State) -> Path {
      var state = state
      if case .object(let id) = path.root { _ = state.path(of: id) }
      return state.named(path)
    }
  }

  /// The reads that are not among others, under the names that they have in a later state, if any.
  private func texts(
    _ reads: [ReadModel.Read], without others: [ReadModel.Read], in state: State
  ) -> [String]? {
    let rest = reads.filter { read in !others.contains { $0.isOfSlot(of: read) } }.map { read in
      let name = ReadModel.name(of: read.path, in: state)
      if case .named = name.root { return "\(name)" }
      return "\(read.name)"
    }
    return rest.isEmpty ? nil : rest
  }

  private func writes(_ steps: [WhyStep]) -> [WhyStep] {
    steps.flatMap { ($0.kind == .write ? [$0] : []) + writes($0.because ?? []) }
  }

  /// A log in which projections run again and again.
  private func longSession(
    _ number: Int, _ workspace: Workspace, _ random: inout SplitMix64
  ) throws -> String {
    var session = ValidSession(seed: random.next())
    let path = workspace.file("\(number).evlog")
    let writer = try LogWriter(creating: path, options: smallBlocks)
    for event in session.events(400) { try writer.append(event) }
    try writer.close()
    return path
  }

  /// Small blocks, so that reading part of the log does not read all of it.
  private var smallBlocks: LogOptions {
    var options = LogOptions()
    options.blockEvents = 8
    options.checkpointEvents = 16
    return options
  }

  @Test func valuesAndReadsAreThoseOfTheEvents() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    var changes = 0
    for number in 0..<7 {
      let path = try number < 4 ? workspace.session(number, &random) : longSession(number, workspace, &random)
      let log = try LogSource(path: path)
      var model = ReadModel()
      var fold = log.base ?? StateFold()
      for body in fold.projectionEvents() { model.apply(body, seq: 0) { fold.state } }
      for seq in log.firstSeq...log.lastSeq {
        guard let event = log.event(seq) else { continue }
        model.apply(event.body, seq: seq) { fold.state }
        fold.apply(event)
      }
      for (seq, projection, reads, before, state) in model.evaluations {
        let chain = try WhyChain(of: projection, at: .seq(seq), in: LogSource(path: path))
        let place = "\(projection) at \(seq) of log \(number), seed \(seed)"
        #expect(chain.steps.first?.seq == seq, "\(place)")
        if let reads, let before {
          #expect(chain.steps.first?.newReads == texts(reads, without: before, in: state), "\(place)")
          #expect(chain.steps.first?.droppedReads == texts(before, without: reads, in: state), "\(place)")
          changes += reads.map(\.path) == before.map(\.path) ? 0 : 1
        } else {
          #expect(chain.steps.first?.newReads == nil, "\(place)")
        }
        for write in writes(chain.steps) {
          guard let seq = write.seq, let text = write.path else { continue }
          let path = try Path(parsing: text)
          let old = seq > 1 ? try log.state(at: seq - 1).value(at: path) : nil
          let new = try log.state(at: seq).value(at: path)
          #expect(write.old?.text == old?.json, "event \(seq), \(place)")
          #expect(write.new?.text == new?.json, "event \(seq), \(place)")
        }
      }
    }
    #expect(changes > 0, "seed \(seed)")
  }

  /// The run before may be many blocks back, but is none of another projection that had the same name.
  @Test func theRunBeforeIsThatOfTheSameLifeHoweverLongAgo() throws {
    let workspace = try Workspace()
    let path = workspace.file("long.evlog")
    let writer = try LogWriter(creating: path, options: smallBlocks)
    let (x, y) = (try Path(parsing: "app.x"), try Path(parsing: "app.y"))
    var time: UInt64 = 0
    func append(_ body: Event.Body, cause: UInt64? = nil) throws {
      time += 1
      try writer.append(Event(seq: time, time: time, cause: cause, body: body))
    }
    try append(.set(Path(root: .named("app")), .map(["x": .int(0), "y": .int(0)]), sameValue: false))
    for paths in [[y], [x]] {
      if paths == [x] { try append(.dispose(projection: "P")) }
      try append(.projection(name: "P", parent: nil, tracking: .element))
      try append(.reads(projection: "P", .paths(paths)))
      try append(.evaluate(projection: "P", duration: 1, changed: nil))
      for _ in 0..<200 { try append(.mark(label: "later")) }
    }
    let first = time - 200
    try append(.reads(projection: "P", .paths([y])))
    try append(.set(y, .int(1), sameValue: false))
    let write = time
    for _ in 0..<100 { try append(.mark(label: "later")) }
    try append(.evaluate(projection: "P", duration: 1, changed: nil), cause: write)
    try writer.close()

    let log = try LogSource(path: path)
    let steps = try WhyChain(of: "P", at: nil, in: log).steps
    #expect(steps.map(\.kind) == [.evaluation, .invalidation, .write])
    #expect(steps.first?.newReads == ["app.y"] && steps.first?.droppedReads == ["app.x"])
    #expect(steps.last?.old?.text == "0" && steps.last?.new?.text == "1" && steps.last?.reads == ["app.y"])
    let firstRun = try WhyChain(of: "P", at: .seq(first), in: log).steps.first
    #expect(firstRun?.seq == first && firstRun?.newReads == nil && firstRun?.droppedReads == nil)
    #expect(!log.damage.isOfPart)
  }
}
