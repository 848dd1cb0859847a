import EventLog
import Foundation
import Projection

/// A recorded run of an app.
struct Recorded {
  let truth: Truth
  /// The work of its bodies, by their names.
  let done: [String: [Work.Done]]
}

/// Puts a plan's parts together, and has a person drive them.
@MainActor struct App {
  private let plan: Plan
  private let isMended: Bool
  private let session: Session
  private let screen: FrameScreen?
  private let world: World
  private let names: Names

  static func record(_ plan: Plan, isMended: Bool, to log: URL) async throws -> Recorded {
    let session = try Session(
      recordingTo: log, delivery: plan.hosting == .manual ? .manual : .immediate, options: .replacingExisting)
    return try await App(plan, isMended: isMended, session: session).run()
  }

  private init(_ plan: Plan, isMended: Bool, session: Session) {
    (self.plan, self.isMended, self.session) = (plan, isMended, session)
    world = World(session)
    screen =
      plan.hosting == .frames
      ? FrameScreen(session, isMended ? .drawsWhatIsOutOfDate : plan.fault?.habit ?? .drawsWhatIsOutOfDate)
      : nil
    names = Names(seed: plan.seed, taken: Set(([plan.subject] + plan.background).map(\.root)))
  }

  private func run() async throws -> Recorded {
    _ = Work.popDone()
    let parts = ([plan.subject] + plan.background).map(setUp)
    show(parts.flatMap(\.views))
    for part in parts { for body in part.whenShown { body() } }
    await drive(Script.merged(parts.map(\.script)))
    await world.end()
    try session.close()
    return Recorded(truth: parts[0].truth, done: Work.popDone())
  }

  private struct SetUpPart {
    let views: [(name: String, body: @MainActor (Canvas) -> String)]
    let script: Script
    let whenShown: [@MainActor () -> Void]
    let truth: Truth
    /// Bodies and callbacks refer to the stage, and do not retain it.
    let stage: AnyObject
  }

  private func setUp(_ part: Part) -> SetUpPart {
    switch part.domain {
    case .list: setUp(part, ListStore.self)
    case .form: setUp(part, FormStore.self)
    case .feed: setUp(part, FeedStore.self)
    case .player: setUp(part, PlayerStore.self)
    case .board: setUp(part, BoardStore.self)
    }
  }

  private func setUp<S: Store>(_ part: Part, _ type: S.Type) -> SetUpPart {
    let stage = Stage<S>(part, names: names, session: session, world: world, isMended: isMended)
    let truth = stage.build()
    defer { stage.script = Script() }
    return SetUpPart(
      views: stage.views.map { ($0.name, $0.body) }, script: stage.script, whenShown: stage.whenShown,
      truth: truth,
      stage: stage)
  }

  /// Shows the views in random order, within containers if the plan has some.
  private func show(_ views: [(name: String, body: @MainActor (Canvas) -> String)]) {
    var random = SplitMix64(seed: plan.seed)
    let shuffled = views.shuffled(using: &random)
    let containers = (0..<plan.containers).map { _ in names.view() }
    guard let outermost = containers.first else {
      for view in shuffled { mount(view.name, view.body) }
      return
    }
    mount(outermost) { contain(shuffled, in: containers.dropFirst(), $0) }
  }

  private func contain(
    _ views: [(name: String, body: @MainActor (Canvas) -> String)], in containers: ArraySlice<String>,
    _ canvas: Canvas
  ) -> String {
    if let next = containers.first {
      canvas.child(next) { contain(views, in: containers.dropFirst(), $0) }
    } else {
      for view in views { canvas.child(view.name, view.body) }
    }
    return "contained"
  }

  private func mount(_ name: String, _ body: @escaping @MainActor (Canvas) -> String) {
    if let screen { return screen.mount(name, body) }
    let site = Site(of: name)
    session.projection(name, fileID: site.fileID, line: site.line) { scope in
      Work.measured(name) { body(.session(scope)) }
    }
  }

  private func drive(_ beats: [Beat]) async {
    for beat in beats {
      await world.wait(until: beat.at, afterEachMoment: draw)
      beat.act()
      await world.settle()
      await draw()
    }
    // Late answers are waited for.
    await world.wait(until: world.now + .seconds(3), afterEachMoment: draw)
  }

  /// Draws a frame, if the app has frames.
  private func draw() async {
    switch plan.hosting {
    case .session: return
    case .frames: screen?.frame()
    case .manual: session.flush()
    }
    await world.settle()
  }
}
