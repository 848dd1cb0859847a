import EventLog
import Foundation
import Projection

/// A recorded run of an app.
struct Recorded {
  let log: URL
  let truth: Truth
  /// When time was passed over, which the log does not have yet.
  let jumps: [World.Jump]
  /// When the mark `launch` was made, by the clock of the jumps.
  let launch: SuspendingClock.Instant

  static let launchLabel = "launch"
}

/// Puts a plan's parts together, and has a person drive them.
@MainActor struct App {
  private let plan: Plan
  private let isMended: Bool
  private let session: Session
  private let screen: FrameScreen?
  private let world = World()
  private let names: Names

  static func record(_ plan: Plan, isMended: Bool, to log: URL) async throws -> Recorded {
    var options = LogOptions.replacingExisting
    options.timeUnit = .nanoseconds
    options.program = "app-\(plan.index)"
    let session = try Session(recordingTo: log, options: options)
    return try await App(plan, isMended: isMended, session: session).run(log)
  }

  private init(_ plan: Plan, isMended: Bool, session: Session) {
    (self.plan, self.isMended, self.session) = (plan, isMended, session)
    screen = plan.hosting == .frames ? FrameScreen(session) : nil
    names = Names(seed: plan.seed)
  }

  private func run(_ log: URL) async throws -> Recorded {
    // The first mark loads what the second one is not to wait for.
    session.mark("begin")
    let launch = SuspendingClock().now
    session.mark(Recorded.launchLabel)
    let parts = ([plan.subject] + plan.background).map(setUp)
    show(parts.flatMap(\.views))
    for part in parts { for body in part.whenShown { body() } }
    await drive(Script.merged(parts.map(\.script)))
    await world.end()
    try session.close()
    return Recorded(log: log, truth: parts[0].truth, jumps: world.jumps, launch: launch)
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
    session.projection(name, fileID: site.fileID, line: site.line) { body(.session($0)) }
  }

  private func drive(_ beats: [Beat]) async {
    for beat in beats {
      await world.wait(until: beat.at) { screen?.frame() }
      beat.act()
      await world.settle()
      screen?.frame()
    }
    // Late answers are waited for.
    await world.wait(until: world.now + .seconds(3)) { screen?.frame() }
  }
}
