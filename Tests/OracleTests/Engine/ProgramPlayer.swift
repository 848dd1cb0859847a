import Foundation
@testable import Projection
import ReplayTesting

@Recorded final class ProgramCell {
  var x = 0
  var y = 0
  var flag = false
  var rows: RecordedArray<Program.Item> = []
  var next: ProgramCell?
}

/// Plays a program to a real session, whose bodies and callbacks log their calls.
@MainActor final class ProgramPlayer {
  let program: Program
  let clock: ManualClock
  let session: Session
  let cells = [ProgramCell(), ProgramCell()]
  let knots = ProgramKnots()
  var trace: [String] = []
  /// How many marks a test has made.
  var marks = 0
  /// Called before the time advances by a tick, with the time after it.
  var willAdvance: (Duration) -> Void = { _ in }
  private var isAttached = false
  private var begun: Set<Int> = []
  private var subscriptions: [Int: ProjectionHandle] = [:]
  private var derived: [Int: () throws -> Int] = [:]

  /// - Parameter log: Where to record; by default nowhere.
  convenience init(_ program: Program, recordingTo log: URL? = nil) throws {
    let clock = ManualClock()
    self.init(program, in: try Self.session(for: program, recordingTo: log, clock), clock)
  }

  /// A session for a program.
  static func session(for program: Program, recordingTo log: URL?, _ clock: ManualClock) throws -> Session {
    let delivery: Delivery =
      switch program.delivery {
      case .immediate: .immediate
      case .manual: .manual
      case .every(let ticks): .every(Self.duration(ticks))
      }
    if let log { return try Session(recordingTo: log, delivery: delivery, clock: clock) }
    return Session(delivery: delivery, clock: clock)
  }

  /// Plays in a session that is advanced from outside.
  init(_ program: Program, in session: Session, _ clock: ManualClock = ManualClock()) {
    self.program = program
    self.session = session
    self.clock = clock
    if program.forgetsSoon { session.engine.withLock { $0.objects.departures.batch = 1 } }
    session.attach(cells[0], as: "a")
    session.attach(knots.root, as: "k")
    if !program.attachesLate { attach() }
  }

  /// Ends the session and releases all objects.
  func close() throws {
    defer { knots.release() }
    try session.close()
  }

  /// The session's diagnostics, without those about readers of a cell that may never be attached.
  var diagnostics: [String] {
    session.diagnostics.map(\.message).filter { !$0.contains("is not attached") }
  }

  private func attach() {
    if isAttached { return }
    isAttached = true
    session.attach(cells[1], as: "b")
  }

  static func duration(_ ticks: Int) -> Duration { .milliseconds(10 * ticks) }

  func perform(_ actions: [Program.Action]) { for action in actions { perform(action) } }

  func perform(_ action: Program.Action) {
    switch action {
    case .edit(let edit): perform(edit)
    case .transaction(let actions): session.transaction { perform(actions) }
    case .subscribe(let index): subscribe(index)
    case .cancel(let index): subscriptions[index]?.cancel()
    case .pull(let index):
      guard let derived = derived[index] else { return }
      do { trace.append("pull D\(index) = \(try derived())") } catch { trace.append("pull D\(index) throws") }
    case .flush: session.flush()
    case .attach: attach()
    case .advance: preconditionFailure("time goes by between steps only")
    }
  }

  /// Advances the time, tick by tick, and waits until all calls that are due have run.
  func advance(by ticks: Int) async {
    for _ in 0..<ticks {
      await settle()
      willAdvance(clock.now.offset + Self.duration(1))
      await clock.advance(by: Self.duration(1))
      await settle()
    }
  }

  /// Waits until all delayed nodes have begun to sleep, and all nodes that are due have run.
  private func settle() async {
    while clock.sleepers != session.engine.withLock({ $0.waits }) { await Task.yield() }
  }

  private func perform(_ edit: Program.Edit) {
    if case .knot(let edit) = edit { return knots.perform(edit) }
    let a = cells[0]
    // The check whether an edit applies must not count as a read of the body around it.
    let ids = Frame.untracked { a.rows.map(\.id) }
    switch edit {
    case .set(let cell, .x, let value): cells[cell].x = value
    case .set(let cell, .y, let value): cells[cell].y = value
    case .set(let cell, .flag, let value): cells[cell].flag = value == 1
    case .point(let cell): if cell != 1 || isAttached { a.next = cell.map { cells[$0] } }
    case .append(let item): if !ids.contains(item.id) { a.rows.append(item) }
    case .remove(let index): if index < ids.count { a.rows.remove(at: index) }
    case .setElement(let index, let n): if index < ids.count { a.rows[index].n = n }
    case .setByID(let id, let n): if ids.contains(id) { a.rows[id: id]?.n = n }
    case .swap(let i, let j): if max(i, j) < ids.count { a.rows.swapAt(i, j) }
    case .replace(let items): a.rows = RecordedArray(items)
    case .knot: break
    }
  }

  func value(_ source: Program.Source) throws -> Int {
    switch source {
    case .field(let cell, .x): cells[cell].x
    case .field(let cell, .y): cells[cell].y
    case .field(let cell, .flag): cells[cell].flag ? 1 : 0
    case .count: cells[0].rows.count
    case .element(let index): index < cells[0].rows.count ? cells[0].rows[index].n : -1
    case .byID(let id): cells[0].rows[id: id]?.n ?? -1
    case .rows: ModelState.digest(cells[0].rows.elements)
    case .next: cells[0].next?.x ?? -1
    case .derived(let index): try derived[index]?() ?? -1
    case .knot(let read): knots.value(read)
    }
  }

  private func subscribe(_ index: Int) {
    guard begun.insert(index).inserted else { return }
    switch program.nodes[index] {
    case .derived(let ops): derived[index] = derive("D\(index)", ops)
    case .projection(let tracking, let ops):
      let name = "P\(index)"
      subscriptions[index] = session.projection(name, tracking: tracking) { [unowned self] scope in
        MainActor.assumeIsolated { run(name, ops, scope) }
      }
    case .change(let source, let pace, let effects):
      subscriptions[index] = watch(source, as: "C\(index)", pace, effects)
    case .receive(let source, let effects):
      subscriptions[index] = receive(source, as: "R\(index)", effects)
    }
  }
}
