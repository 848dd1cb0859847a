import EventLog
import Foundation
import ReplayAnalysis

/// Answers questions about a log one by one, on a thread of its own, since an answer may take a pass over the
/// log.
///
/// A question replaces the waiting one of the same topic, which is answered as outdated: a user who clicks
/// through a table wants only the last answer. A question whose client has left is outdated too; an answer
/// that was begun for it ends within a few thousand events.
final class Questions: @unchecked Sendable {
  enum Answer: Sendable {
    /// The answer, as JSON or columns.
    case found([UInt8])
    /// A description of why there is no answer.
    case refused(String)
    case outdated
  }

  typealias Body = @Sendable (LogSource) throws -> [UInt8]

  private struct Question {
    let topic: String
    let isWanted: @Sendable () -> Bool
    let body: Body
    let answer: CheckedContinuation<Answer, Never>
  }

  private let path: String
  private let limits: ReadLimits
  private let feed: LiveFeed?
  // The following three are guarded by the condition's lock.
  private let condition = NSCondition()
  private var waiting: [Question] = []
  private var isStopped = false
  // Used only by the thread.
  private var log: LogSource?
  /// The run of the feed of which this is the log; nil if it was opened by its path.
  private var run: String?

  /// Beyond this many, the oldest waiting question becomes outdated.
  private static let waitingMax = 32

  /// - Parameters:
  ///   - path: The path of the log, used until the feed has one.
  ///   - feed: The results about the log that is followed.
  init(path: String, limits: ReadLimits = .standard, feed: LiveFeed? = nil) {
    self.path = path
    self.limits = limits
    self.feed = feed
    let thread = Thread { [self] in work() }
    // The size of a main thread's stack, since values may be nested deeply.
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Asks about the log in its state at the time of the answer.
  ///
  /// - Parameters:
  ///   - topic: A waiting question of the same topic becomes outdated.
  ///   - isWanted: Whether the client still waits; called repeatedly until there is an answer.
  func ask(
    _ topic: String, while isWanted: @escaping @Sendable () -> Bool = { true }, _ body: @escaping Body
  ) async -> Answer {
    await withCheckedContinuation { continuation in
      let question = Question(topic: topic, isWanted: isWanted, body: body, answer: continuation)
      let outdated = condition.withLock { add(question) }
      for old in outdated { old.answer.resume(returning: .outdated) }
    }
  }

  /// Ends the thread, and interrupts the question that is being answered.
  func stop() {
    let left = condition.withLock {
      isStopped = true
      condition.signal()
      defer { waiting = [] }
      return waiting
    }
    for question in left { question.answer.resume(returning: .outdated) }
  }

  private func add(_ question: Question) -> [Question] {
    if isStopped { return [question] }
    var outdated = waiting.filter { $0.topic == question.topic }
    waiting.removeAll { $0.topic == question.topic }
    if waiting.count >= Self.waitingMax { outdated.append(waiting.removeFirst()) }
    waiting.append(question)
    condition.signal()
    return outdated
  }

  private func work() {
    while let question = next() { question.answer.resume(returning: answer(question)) }
  }

  private func next() -> Question? {
    condition.withLock {
      while waiting.isEmpty, !isStopped { condition.wait() }
      return waiting.isEmpty ? nil : waiting.removeFirst()
    }
  }

  private func answer(_ question: Question) -> Answer {
    if !question.isWanted() { return .outdated }
    do {
      let log = try currentLog()
      log.isWanted = { [self] in question.isWanted() && !condition.withLock { isStopped } }
      defer { log.isWanted = { true } }
      return .found(try question.body(log))
    } catch is CancellationError {
      return .outdated
    } catch let error as LogError {
      // Another log may have replaced this one, so it is opened again next time.
      log = nil
      return .refused("\(error)")
    } catch {
      return .refused("\(error)")
    }
  }

  /// The log that is followed, refreshed. It is read from its open file, which may have another name by now, or none.
  private func currentLog() throws -> LogSource {
    let contents = feed?.contents
    let followed = contents?.log
    let run = followed == nil ? nil : contents?.status.run
    let isSame =
      followed == nil
      ? (try? LogHeader(ofLogAt: path, limits: limits))?.salt == log?.header.salt : run == self.run
    if let log, isSame {
      _ = try log.refresh()
      return log
    }
    let opened = try followed.map { try LogSource($0.reopened()) } ?? LogSource(path: path, limits: limits)
    (log, self.run) = (opened, run)
    return opened
  }
}
