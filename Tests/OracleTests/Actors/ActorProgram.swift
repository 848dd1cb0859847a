import LogGenerator
import Projection

/// What several actors do with one session. All that it writes is known in advance, but not in which order.
struct ActorProgram: Sendable {
  var delivery: Delivery
  var places: [ActorPlace]
  /// Where the session is made; nil for nowhere.
  var home: ActorPlace?
  var desks: [ActorPlace: DeskPlan]
  /// Tasks that run at once, each of which begins at its place.
  var roots: [Root]
  /// Whether the session is closed with runs and callbacks still to come.
  var endsEarly: Bool

  struct Root: Sendable {
    var place: ActorPlace
    var steps: [ActorStep]
  }
}

/// What an actor has made before the program begins.
struct DeskPlan: Sendable {
  /// What the derived values read.
  var derived: [[DeskProperty]] = []
  var views: [ViewPlan] = []
  var callbacks: [CallbackPlan] = []
  /// Whether a task iterates over the changes of `a`, and how often these come.
  var changes: ChangesPlan?
}

struct ChangesPlan: Sendable {
  var milliseconds: Int?
}

struct ViewPlan: Sendable {
  var reads: [DeskProperty]
  /// The derived values that it reads, modulo their number.
  var derived: [Int] = []
  var children: [ViewPlan] = []
}

struct CallbackPlan: Sendable {
  enum Kind: Sendable {
    case change
    case throttled(milliseconds: Int)
    case debounced(milliseconds: Int)
    case receive
  }

  var kind: Kind
  var property: DeskProperty
  var effects: [ActorEffect]

  var isPaced: Bool {
    switch kind {
    case .throttled, .debounced: true
    case .change, .receive: false
    }
  }
}

/// What a callback does. It writes later properties than its own, and its tasks those without callbacks, so it ends.
enum ActorEffect: Sendable {
  case write(DeskProperty)
  case transaction([DeskProperty])
  case action([DeskProperty])
  case mark
  case task(ActorPlace, DeskProperty)
  /// Handed to the queue of the actor, with its cause or without.
  case dispatched(DeskProperty, isCarried: Bool)
}

enum DeskProperty: Int, CaseIterable, Sendable {
  case a, b, c, d, row0, row1, row2

  static let rows: [DeskProperty] = [.row0, .row1, .row2]

  /// The index in `rows`.
  var row: Int? { rawValue < 4 ? nil : rawValue - 4 }
}

/// What code does without waiting for anything that needs its actor.
indirect enum ActorAct: Sendable {
  case write(DeskProperty)
  case writeSame(DeskProperty)
  case mark
  case transaction([ActorAct])
  case throwingTransaction([ActorAct])
  /// A transaction that puts back at its end what it has changed.
  case undoneTransaction([DeskProperty], [ActorAct])
  case action([ActorAct])
  case throwingAction([ActorAct])
  /// Run by a cause that was made outside of any action.
  case withoutCause([ActorAct])
  /// Run by the cause of the current code.
  case withCause([ActorAct])
  case task(ActorPlace, [ActorStep], isDetached: Bool)
  case dispatched([ActorAct], isCarried: Bool)
  case makeView(ViewPlan)
  case makeCallback(CallbackPlan)
  /// Ends one of those that were made by acts, modulo their number.
  case cancel(Int)
  case makeHosted([DeskProperty])
  /// Runs one of those, modulo their number.
  case runHosted(Int)
  case flush
  /// Waits until another actor has done this.
  case meanwhile(ActorPlace, [ActorAct])
  /// Two transactions: that of the other actor begins within this one, and ends after it.
  case overlapping(ActorPlace, Overlap)

  struct Overlap: Sendable {
    /// In this transaction, once the other one has begun.
    var inside: [ActorAct]
    /// After this transaction, while the other one is open.
    var after: [ActorAct]
    var otherBegins: [ActorAct]
    var otherEnds: [ActorAct]
  }
}

/// What a task does.
indirect enum ActorStep: Sendable {
  case acts([ActorAct])
  case yield
  case sleep
  case action([ActorStep])
  case throwingAction([ActorStep])
  /// In a task that is cancelled at once.
  case cancelledAction([ActorStep])
  case hop(ActorPlace, [ActorStep])
  case task([ActorStep], isAwaited: Bool)
  case group([[ActorStep]])
  case detached([ActorStep])
  /// In a detached task, by the cause of this one.
  case carried([ActorStep])
  case withoutCause([ActorStep])
}

extension ActorProgram: CustomStringConvertible {
  var description: String {
    var lines = ["\(delivery), session made \(home.map { "in the \($0)" } ?? "nowhere")"]
    for place in places {
      guard let desk = desks[place] else { continue }
      lines.append("\(place): derived \(desk.derived), changes \(desk.changes.map { "\($0)" } ?? "none")")
      lines += desk.views.map { "  \($0)" } + desk.callbacks.map { "  \($0)" }
    }
    for root in roots {
      lines.append("task in the \(root.place)")
      lines += root.steps.map { "  \($0)" }
    }
    if endsEarly { lines.append("closed early") }
    let text = lines.joined(separator: "\n")
    return ["OracleTests", "DeskProperty", "ActorPlace", "ActorAct", "ActorStep", "ActorEffect"]
      .reduce(text) { $0.replacing("\($1).", with: "") }
  }
}

// MARK: Smaller programs

extension ActorProgram {
  /// Programs with one part less.
  var smaller: [ActorProgram] {
    var programs: [ActorProgram] = []
    func add(_ change: (inout ActorProgram) -> Void) {
      var program = self
      change(&program)
      programs.append(program)
    }
    for index in roots.indices { add { $0.roots.remove(at: index) } }
    for index in roots.indices {
      for steps in Self.smaller(roots[index].steps, \.smaller) { add { $0.roots[index].steps = steps } }
    }
    for (place, desk) in desks {
      for index in desk.views.indices { add { $0.desks[place]?.views.remove(at: index) } }
      for index in desk.callbacks.indices { add { $0.desks[place]?.callbacks.remove(at: index) } }
      if desk.changes != nil { add { $0.desks[place]?.changes = nil } }
    }
    return programs
  }

  /// Lists with one element left out, or replaced by a part of it.
  fileprivate static func smaller<T>(_ list: [T], _ parts: (T) -> [[T]]) -> [[T]] {
    list.indices.flatMap { index in
      ([[]] + parts(list[index])).map { part in
        var fewer = list
        fewer.replaceSubrange(index...index, with: part)
        return fewer
      }
    }
  }
}

extension ActorStep {
  /// What it can be replaced by.
  fileprivate var smaller: [[ActorStep]] {
    func each(_ steps: [ActorStep], _ make: ([ActorStep]) -> ActorStep) -> [[ActorStep]] {
      ActorProgram.smaller(steps, \.smaller).filter { !$0.isEmpty }.map { [make($0)] }
    }
    switch self {
    case .yield, .sleep: return []
    case .acts(let acts):
      return ActorProgram.smaller(acts, \.smaller).filter { !$0.isEmpty }.map { [.acts($0)] }
    case .action(let steps): return [steps] + each(steps) { .action($0) }
    case .throwingAction(let steps): return [steps] + each(steps) { .throwingAction($0) }
    case .cancelledAction(let steps): return [steps] + each(steps) { .cancelledAction($0) }
    case .hop(let place, let steps): return each(steps) { .hop(place, $0) }
    case .task(let steps, let isAwaited):
      return [steps] + each(steps) { .task($0, isAwaited: isAwaited) }
    case .group(let lists): return lists
    case .detached(let steps): return [steps] + each(steps) { .detached($0) }
    case .carried(let steps): return [steps] + each(steps) { .carried($0) }
    case .withoutCause(let steps): return [steps] + each(steps) { .withoutCause($0) }
    }
  }
}

extension ActorAct {
  /// What it can be replaced by.
  fileprivate var smaller: [[ActorAct]] {
    func each(_ acts: [ActorAct], _ make: ([ActorAct]) -> ActorAct) -> [[ActorAct]] {
      ActorProgram.smaller(acts, \.smaller).map { [make($0)] }
    }
    switch self {
    case .transaction(let acts): return [acts] + each(acts) { .transaction($0) }
    case .throwingTransaction(let acts):
      return [[.transaction(acts)]] + each(acts) { .throwingTransaction($0) }
    case .undoneTransaction(let properties, let acts):
      return [[.transaction(acts)]] + each(acts) { .undoneTransaction(properties, $0) }
    case .action(let acts): return [acts] + each(acts) { .action($0) }
    case .throwingAction(let acts): return [[.action(acts)]] + each(acts) { .throwingAction($0) }
    case .withoutCause(let acts): return [acts] + each(acts) { .withoutCause($0) }
    case .withCause(let acts): return [acts] + each(acts) { .withCause($0) }
    case .dispatched(let acts, let isCarried):
      return [acts] + each(acts) { .dispatched($0, isCarried: isCarried) }
    case .meanwhile(let place, let acts): return each(acts) { .meanwhile(place, $0) }
    case .overlapping(let place, let overlap):
      return [
        [.transaction(overlap.inside)] + overlap.after,
        [.meanwhile(place, [.transaction(overlap.otherBegins)])],
      ]
    case .write, .writeSame, .mark, .task, .makeView, .makeCallback, .cancel, .makeHosted, .runHosted, .flush:
      return []
    }
  }
}
