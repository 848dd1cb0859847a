import EventLog
import ReplayAnalysis

/// The possible continuations of a line.
struct Completions: Equatable {
  /// How many characters before the cursor belong to the word that is completed.
  var typed: Int
  /// The complete words.
  var candidates: [String]

  /// The prefix that all candidates share.
  var commonStart: String {
    guard var common = candidates.first.map({ Array($0) }) else { return "" }
    for candidate in candidates.dropFirst() {
      common = zip(common, candidate).prefix { $0 == $1 }.map(\.0)
    }
    return String(common)
  }
}

/// Completes a line of `step`: its commands, and the projections and paths that exist after the current
/// event.
struct StepCompletion {
  private let debugger: StepDebugger
  /// Longer names are not offered.
  private static let lengthMax = 200
  private static let elementsMax = 2000

  init(_ debugger: StepDebugger) { self.debugger = debugger }

  /// - Parameter head: The line up to the cursor.
  func completions(of head: String) -> Completions {
    let (word, _) = head.firstWord
    guard let blank = head.drop(while: { $0 == " " }).firstIndex(of: " ") else {
      return choose(word, from: StepVerb.all.map { $0.name + ($0.usage.isEmpty ? "" : " ") })
    }
    let typed = String(head[blank...].drop { $0 == " " })
    switch (try? StepVerb.named(word))?.argument ?? .nothing {
    case .nothing: return Completions(typed: 0, candidates: [])
    case .verb: return choose(typed, from: StepVerb.all.map(\.name))
    case .projection: return choose(typed, from: projections())
    case .path: return choose(typed, from: paths(beginning: typed))
    case .condition: return condition(typed)
    }
  }

  private func condition(_ typed: String) -> Completions {
    for kind in StopCondition.kinds where typed.hasPrefix(kind + " ") {
      let rest = String(typed.dropFirst(kind.count).drop { $0 == " " })
      switch kind {
      case "woken", "run": return choose(rest, from: projections())
      case "write", "change": return choose(rest, from: paths(beginning: rest))
      default: return Completions(typed: 0, candidates: [])
      }
    }
    return choose(
      typed, from: StopCondition.kinds.map { $0 + " " } + projections() + paths(beginning: typed))
  }

  private func choose(_ typed: String, from words: [String]) -> Completions {
    let fitting = Set(names: words.filter { $0.hasPrefix(typed) && $0.utf8.count <= Self.lengthMax })
    return Completions(typed: typed.count, candidates: fitting.sorted().map(\.string))
  }

  private func projections() -> [String] {
    let names = (try? debugger.projections()) ?? []
    return names + names.map(\.projectionGroup)
  }

  /// The roots, or the paths one step below the last complete path.
  private func paths(beginning typed: String) -> [String] {
    guard let state = try? debugger.state() else { return [] }
    let ends = typed.indices.filter { typed[$0] == "." || typed[$0] == "[" }
    guard let end = ends.last(where: { (try? Path(parsing: String(typed[..<$0]))) != nil }),
      let path = try? Path(parsing: String(typed[..<end])), let value = state.value(at: path)
    else { return state.roots.keys.map { Path(root: .named($0)).description } }
    return members(of: value, in: state).map { path.appending($0).description }
  }

  private func members(of value: Value, in state: State) -> [PathComponent] {
    guard case .array(let elements) = value else { return value.members(in: state) }
    return elements.prefix(Self.elementsMax).indices.map { .index($0) }
      + elements.prefix(Self.elementsMax).compactMap { $0.id(in: state).map { .id($0) } }
  }
}

extension Value {
  /// The id of an element.
  fileprivate func id(in state: State) -> Value? {
    let id: Value? =
      switch self {
      case .map(let fields): fields["id"]
      case .reference(let object): state.objects[object]?.fields["id"]
      default: nil
      }
    switch id {
    case .int, .uint, .string, .bool: return id
    default: return nil
    }
  }
}
