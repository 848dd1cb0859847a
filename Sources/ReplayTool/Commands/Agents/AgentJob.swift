import Foundation
import ReplayAnalysis

/// A command that runs in this process, on a thread of its own, and what it has printed so far.
///
/// It goes on while somebody waits for it, and a while longer, since who got a part may ask for the rest.
final class AgentJob: @unchecked Sendable {
  /// What has been printed, and whether that is all.
  struct State: Sendable {
    var output: [UInt8] = []
    var errors: [UInt8] = []
    /// Nil while the command runs.
    var status: ToolStatus?
    /// Whether it was ended since it had printed too much.
    var isCut = false
    /// What it is about, and how much of that is done.
    var progress: String?
  }

  /// What a command may print at most: nobody reads more, in pages of some kilobytes.
  private static let outputMost = 4 << 20
  private static let errorsMost = 64 << 10
  /// How long a command goes on of which nobody waits for the rest.
  private static let patience = Duration.seconds(120)

  let words: [String]
  private let condition = NSCondition()
  // The following are guarded by the condition's lock.
  private var state = State()
  private var waiting = 0
  private var lastWaited = ContinuousClock.now
  private var isStopped = false

  init(_ words: [String]) { self.words = words }

  /// Starts it, when a place among those that run is free.
  func start(_ places: DispatchSemaphore) {
    let thread = Thread { [self] in
      places.wait()
      run()
      places.signal()
    }
    // The size of a main thread's stack, since values may be nested deeply.
    thread.stackSize = 8 << 20
    thread.start()
  }

  private func run() {
    let console = Console(
      width: nil, style: Style(), output: { [self] in try add($0) },
      errors: { [self] bytes in
        condition.withLock { state.errors += bytes.prefix(max(0, Self.errorsMost - state.errors.count)) }
      }, progress: AnalysisProgress(self))
    let status = Demand.$isWanted.withValue({ [self] in isWanted }) {
      isWanted ? Tool.run(words, on: console) : .refused
    }
    condition.withLock {
      // What was ended is not the whole answer.
      isStopped = isStopped || !isWantedLocked
      state.status = status
      condition.broadcast()
    }
  }

  private func add(_ bytes: [UInt8]) throws {
    try condition.withLock {
      let room = Self.outputMost - state.output.count
      state.output += bytes.prefix(max(0, room))
      state.isCut = state.isCut || bytes.count > room
      // As if the reader of a pipe had left.
      if state.isCut || !isWantedLocked { throw Console.BrokenPipe() }
    }
  }

  private var isWanted: Bool { condition.withLock { isWantedLocked } }

  private var isWantedLocked: Bool {
    !isStopped && (waiting > 0 || ContinuousClock.now - lastWaited < Self.patience)
  }

  var isOver: Bool { condition.withLock { state.status != nil } }

  /// Whether it was not ended before its end.
  var isWhole: Bool { condition.withLock { !isStopped } }

  /// Waits for the end, at most until a time.
  ///
  /// - Parameter look: Called a few times a second; false ends the waiting.
  func wait(until deadline: ContinuousClock.Instant, while look: (State) -> Bool) -> State {
    condition.lock()
    defer { condition.unlock() }
    waiting += 1
    defer {
      waiting -= 1
      lastWaited = .now
    }
    while state.status == nil, ContinuousClock.now < deadline {
      let left = (deadline - .now) / .seconds(1)
      _ = condition.wait(until: Date(timeIntervalSinceNow: max(0, min(left, 0.2))))
      let state = state
      condition.unlock()
      let goesOn = look(state)
      condition.lock()
      if !goesOn { break }
    }
    return state
  }

  /// Has it end soon, unless somebody else waits for it.
  func leave() { condition.withLock { if waiting == 0 { isStopped = true } } }

  /// Has it end soon.
  func stop() { condition.withLock { isStopped = true } }
}

extension AgentJob: ProgressReceiver {
  func receive(_ report: AnalysisProgress.Report) {
    let share = report.total > 0 ? min(100, report.done * 100 / report.total) : 0
    condition.withLock { state.progress = "\(report.task.shown(most: 200)) \(share) %" }
  }

  func finish() { condition.withLock { state.progress = nil } }
}

/// The commands that run, and the last that have ended, so that the rest of an answer is not made again.
final class AgentJobs: @unchecked Sendable {
  private struct Kept {
    var job: AgentJob
    /// The files that it reads, as they were when it was started.
    var files: [FileStamp?]
  }

  /// How many commands run at a time.
  private static let runningMost = 4
  private static let keptMost = 8

  private let places = DispatchSemaphore(value: runningMost)
  private let lock = NSLock()
  /// Guarded by the lock.
  private var kept: [Kept] = []

  /// The job of a command: one that runs, or has ended if the files that it reads are what they were, or else a new one.
  ///
  /// - Parameter isFresh: Whether it is run anew although it has been run already.
  func job(_ words: [String], reading files: [String], isFresh: Bool) -> AgentJob {
    lock.withLock {
      let files = files.map { FileStamp($0) }
      if let index = kept.firstIndex(where: { $0.job.words == words }) {
        let known = kept.remove(at: index)
        if known.job.isWhole, !known.job.isOver || !isFresh && known.files == files {
          kept.append(known)
          return known.job
        }
      }
      let job = AgentJob(words)
      kept.append(Kept(job: job, files: files))
      let over = kept.filter { $0.job.isOver }.count - Self.keptMost
      if over > 0 {
        for _ in 0..<over {
          if let index = kept.firstIndex(where: { $0.job.isOver }) { kept.remove(at: index) }
        }
      }
      job.start(places)
      return job
    }
  }

  /// Has all of them end, and waits for that, at most until a time.
  func stop(until deadline: ContinuousClock.Instant) {
    let jobs = lock.withLock { kept.map(\.job) }
    for job in jobs { job.stop() }
    for job in jobs { _ = job.wait(until: deadline) { _ in true } }
  }
}

/// By which one sees that a file has changed.
private struct FileStamp: Equatable {
  var bytes: UInt64
  var changed: Date

  /// Nil for what is no file.
  init?(_ path: String) {
    guard let facts = try? FileManager.default.attributesOfItem(atPath: path),
      let bytes = facts[.size] as? UInt64, let changed = facts[.modificationDate] as? Date
    else { return nil }
    (self.bytes, self.changed) = (bytes, changed)
  }
}
