import EventLog
import Foundation
import LogGenerator
import Projection
import Testing

@testable import ReplayAnalysis

/// A form in which an app makes the writes of an event. What is said of a program must not depend on it.
enum Form: String, CaseIterable, CustomTestStringConvertible {
  case bare
  case transaction
  case action
  /// By a callback, because of another write.
  case callback
  /// By a task that an action started.
  case task

  var testDescription: String { rawValue }
}

/// A program whose events are made in one of five forms, and in which time passes without anybody waiting.
///
///     let log = try await FormedProgram.log(in: workspace, "ticks", .action) { program in
///       program.session.attach(meter, as: "meter")
///       for step in 1...20 {
///         await program.event("Tick") { meter.level = step }
///         await program.wait(30)
///       }
///     }
///
/// In the log, events follow each other within 10 us, and waits take the time that they say, whatever the machine does
/// meanwhile.
@MainActor final class FormedProgram {
  let session: Session
  let form: Form
  private let relay = Relay()
  private var waiting: [@MainActor () -> Void] = []
  private var sleepers: [(due: Int, task: CheckedContinuation<Void, Never>)] = []
  private var tasks: [Task<Void, Never>] = []
  private var busy = 0
  private var now = 0

  @Recorded final class Relay { var events = 0 }

  private static let wait = "wait "

  private init(_ session: Session, _ form: Form) {
    (self.session, self.form) = (session, form)
    guard form == .callback else { return }
    session.attach(relay, as: "relay")
    session.onChange(of: \.events, in: relay) { [unowned self] _, _ in
      let bodies = waiting
      waiting = []
      for body in bodies { body() }
    }
  }

  /// Records a program and returns the path of its log.
  static func log(
    in workspace: Workspace, _ name: String, _ form: Form, _ body: @MainActor (FormedProgram) async -> Void
  ) async throws -> String {
    let recorded = workspace.file("\(name)-\(form).recorded.evlog")
    let session = try Session(recordingTo: URL(filePath: recorded))
    let program = FormedProgram(session, form)
    await body(program)
    for task in program.tasks { task.cancel() }
    program.wake(until: .max)
    for task in program.tasks { await task.value }
    try session.close()
    let log = workspace.file("\(name)-\(form).evlog")
    let writer = try LogWriter(creating: log)
    var waited: UInt64 = 0
    var events: [Event] = []
    try LogSource(path: recorded).reader.forEachEvent { events.append($0) }
    for var event in events {
      event.time = 10_000 * event.seq + waited
      try writer.append(event)
      if case .mark(let label) = event.body, label.hasPrefix(wait) {
        waited += 1_000_000 * (UInt64(label.dropFirst(wait.count)) ?? 0)
      }
    }
    try writer.close()
    return log
  }

  /// An event, such as a tap: what it does is done in the form of the program.
  ///
  /// - Parameter label: The name of its action or transaction.
  func event(_ label: String, _ body: @escaping @MainActor () -> Void) async {
    switch form {
    case .bare: body()
    case .transaction: session.transaction(label, body)
    case .action: session.action(label, body)
    case .callback:
      waiting.append(body)
      relay.events += 1
    case .task:
      session.action(label) { start { _ in body() } }
      await settle()
    }
  }

  /// Starts a task of the app, which may sleep by ``sleep(_:)``.
  func start(_ body: @escaping @MainActor (FormedProgram) async -> Void) {
    busy += 1
    tasks.append(
      Task {
        await body(self)
        busy -= 1
      })
  }

  /// Sleeps within a task of the app. Returns false if the program is over.
  func sleep(_ milliseconds: Int) async -> Bool {
    if Task.isCancelled { return false }
    busy -= 1
    await withCheckedContinuation { sleepers.append((now + milliseconds, $0)) }
    return !Task.isCancelled
  }

  /// Lets time pass.
  func wait(_ milliseconds: Int) async {
    await settle()
    let end = now + milliseconds
    while let due = sleepers.map(\.due).min(), due <= end {
      pass(to: due)
      wake(until: due)
      await settle()
    }
    pass(to: end)
  }

  private func settle() async {
    while busy > 0 { await Task.yield() }
  }

  private func pass(to moment: Int) {
    if moment > now { session.mark(Self.wait + "\(moment - now)") }
    now = moment
  }

  private func wake(until moment: Int) {
    let due = sleepers.filter { $0.due <= moment }
    sleepers.removeAll { $0.due <= moment }
    busy += due.count
    for sleeper in due { sleeper.task.resume() }
  }
}
