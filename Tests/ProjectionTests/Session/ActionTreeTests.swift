import EventLog
import Foundation
import LogGenerator
import Projection
import Testing

/// Random trees of tasks that write: each write knows by construction which action it belongs to.
@Suite struct ActionTreeTests {
  @Test func everyWriteBelongsToTheActionAroundIt() async throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    for program in 0..<1000 {
      var names = 0
      let steps = TaskStep.list(&random, depth: 0, &names)
      let outcome = try await run(steps)
      #expect(outcome.isEmpty, "program \(program), seed \(seed): \(outcome)\n\(steps)")
      if !outcome.isEmpty { return }
    }
  }

  /// Runs a program, and returns the writes that have another action than they should.
  private func run(_ steps: [TaskStep]) async throws -> [String] {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    let tree = TaskTree(session: session)
    for actor in tree.actors { await actor.attach(to: session) }
    await tree.run(steps, within: "", at: 0)
    try closeAndCheck(session, url)

    var events: [UInt64: Event] = [:]
    try LogReader(path: url.path).forEachEvent { events[$0.seq] = $0 }
    var wrong: [String] = []
    for event in events.values {
      // A write has the label of its action in its value, and what callbacks write has the same one.
      guard let path = event.body.writtenPath, let expected = event.body.markedLabel else { continue }
      var cause = event.cause
      while let seq = cause, let above = events[seq] {
        if case .action = above.body { break }
        cause = above.cause
      }
      var label = ""
      if let seq = cause, case .action(let found)? = events[seq]?.body { label = found }
      if label != expected {
        wrong.append("event \(event.seq) to \(path) belongs to \(expected), and has \(label)")
      }
    }
    return wrong
  }
}

private indirect enum TaskStep: CustomStringConvertible {
  case write
  case yield
  case action(String, [TaskStep])
  case throwing(String, [TaskStep])
  case hop(Int, [TaskStep])
  case task([TaskStep])
  case group([[TaskStep]])
  case detached([TaskStep])
  case carried([TaskStep])
  /// A task that is cancelled while it runs.
  case cancelled(String, [TaskStep])

  static func list(_ random: inout SplitMix64, depth: Int, _ names: inout Int) -> [TaskStep] {
    var steps: [TaskStep] = []
    for _ in 0...Int.random(in: 0..<3, using: &random) {
      steps.append(step(&random, depth: depth, &names))
    }
    return steps
  }

  private static func step(_ random: inout SplitMix64, depth: Int, _ names: inout Int) -> TaskStep {
    func name() -> String {
      names += 1
      return "action \(names)"
    }
    switch Int.random(in: 0..<(depth < 4 ? 12 : 3), using: &random) {
    case 0, 1: return .write
    case 2: return .yield
    case 3, 4: return .action(name(), list(&random, depth: depth + 1, &names))
    case 5: return .throwing(name(), list(&random, depth: depth + 1, &names))
    case 6: return .hop(Int.random(in: 0..<3, using: &random), list(&random, depth: depth + 1, &names))
    case 7: return .task(list(&random, depth: depth + 1, &names))
    case 8:
      var lists: [[TaskStep]] = []
      for _ in 0...Int.random(in: 0..<3, using: &random) {
        lists.append(list(&random, depth: depth + 1, &names))
      }
      return .group(lists)
    case 9: return .detached(list(&random, depth: depth + 1, &names))
    case 10: return .carried(list(&random, depth: depth + 1, &names))
    default: return .cancelled(name(), list(&random, depth: depth + 1, &names))
    }
  }

  var description: String {
    switch self {
    case .write: "write"
    case .yield: "yield"
    case .action(let name, let steps): "\(name) \(steps)"
    case .throwing(let name, let steps): "throwing \(name) \(steps)"
    case .hop(let actor, let steps): "to actor \(actor) \(steps)"
    case .task(let steps): "task \(steps)"
    case .group(let lists): "group \(lists)"
    case .detached(let steps): "detached \(steps)"
    case .carried(let steps): "carried \(steps)"
    case .cancelled(let name, let steps): "cancelled \(name) \(steps)"
    }
  }
}

extension Event.Body {
  /// The label in what the event writes, `action 7` in `‹action 7›`; nil if there is none.
  fileprivate var markedLabel: String? {
    let value: Value
    switch self {
    case .set(_, let new, _): value = new
    case .splice(_, _, _, let insert, _): value = insert
    default: return nil
    }
    let text = value.json
    guard let open = text.firstIndex(of: "‹"), let close = text[open...].firstIndex(of: "›") else {
      return nil
    }
    return String(text[text.index(after: open)..<close])
  }
}

struct TaskItem: Identifiable, Equatable, Codable {
  var id: Int
  var label = ""
}

enum TaskState: Equatable, Codable {
  case none
  case named(String)
}

@Recorded private final class TaskChild {
  var label: String
  init(_ label: String) { self.label = label }
}

@Recorded private final class TaskNote {
  var label = "-"
  var echo = "-"
  var item = TaskItem(id: 0)
  var items: RecordedArray<TaskItem> = [TaskItem(id: 1), TaskItem(id: 2)]
  var list: RecordedArray<String> = []
  var byKey: RecordedDictionary<String, String> = [:]
  var state = TaskState.none
  var child: TaskChild?
  private var writes = 0

  /// Writes a label in one of the ways in which values are recorded.
  func write(_ label: String) {
    let text = "‹\(label)›"
    writes += 1
    switch writes % 9 {
    case 0: item.label = text
    case 1: self.label = text
    case 2: items[id: 2]?.label = text
    case 3: list.append(text)
    case 4: byKey["key"] = text
    case 5: state = .named(text)
    case 6: child = TaskChild(text)
    case 7: child?.label = text
    default: items = [TaskItem(id: 3, label: text), TaskItem(id: 2)]
    }
  }
}

/// An actor with an object of its own, and a callback that writes.
private actor NoteKeeper {
  let name: String
  private let note = TaskNote()

  init(name: String) { self.name = name }

  func attach(to session: Session) {
    session.attach(note, as: name)
    let note = note
    session.onReceive(of: \.label, in: note) { note.echo = $0 }
  }

  func write(_ label: String) { note.write(label) }
}

/// Runs the steps of a program. `label` is that of the action around them.
private struct TaskTree: Sendable {
  struct Failure: Error {}

  let session: Session
  let actors = (0..<3).map { NoteKeeper(name: "note\($0)") }

  func run(_ steps: [TaskStep], within label: String, at actor: Int) async {
    for step in steps { await run(step, within: label, at: actor) }
  }

  private func run(_ step: TaskStep, within label: String, at actor: Int) async {
    switch step {
    case .write: await actors[actor].write(label)
    case .yield: await Task.yield()
    case .action(let name, let steps):
      await session.action(name) { await run(steps, within: name, at: actor) }
    case .throwing(let name, let steps):
      try? await session.action(name) {
        await run(steps, within: name, at: actor)
        throw Failure()
      }
    case .hop(let other, let steps): await run(steps, within: label, at: other)
    case .task(let steps): await Task { await run(steps, within: label, at: actor) }.value
    case .group(let lists):
      await withTaskGroup(of: Void.self) { group in
        for steps in lists { group.addTask { await run(steps, within: label, at: actor) } }
      }
    case .detached(let steps): await Task.detached { await run(steps, within: "", at: actor) }.value
    case .carried(let steps):
      let cause = session.cause
      await Task.detached { await cause.run { await run(steps, within: label, at: actor) } }.value
    case .cancelled(let name, let steps):
      let task = Task { await session.action(name) { await run(steps, within: name, at: actor) } }
      task.cancel()
      await task.value
    }
  }
}
