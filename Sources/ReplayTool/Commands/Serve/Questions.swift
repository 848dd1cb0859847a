import EventLog
import Foundation
import ReplayAnalysis

/// Answers questions about a log, one after the other, on a thread of its own: an answer may take a pass over the log.
///
/// Whoever asks again before an answer was begun wants the last one only, as when one clicks through a table; the others
/// are told that they are outdated. So is whoever has left: what was begun for them ends within a few thousand events.
final class Questions: @unchecked Sendable {
  enum Answer: Sendable {
    /// As JSON, or columns.
    case found([UInt8])
    /// Why there is none, for people.
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
  // All of these under the condition's lock.
  private let condition = NSCondition()
  private var waiting: [Question] = []
  private var isStopped = false
  // Of the thread alone.
  private var log: LogSource?

  /// More are outdated, the oldest first.
  private static let waitingMax = 32

  init(path: String) {
    self.path = path
    let thread = Thread { [self] in work() }
    // As much as a main thread has: values nest.
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Asks the log as it is then.
  ///
  /// - Parameters:
  ///   - topic: A question that waits for the same topic is outdated.
  ///   - isWanted: Whether somebody waits for the answer; it is asked again while there is none yet.
  func ask(
    _ topic: String, while isWanted: @escaping @Sendable () -> Bool = { true }, _ body: @escaping Body
  ) async -> Answer {
    await withCheckedContinuation { continuation in
      let question = Question(topic: topic, isWanted: isWanted, body: body, answer: continuation)
      let outdated = condition.withLock { add(question) }
      for old in outdated { old.answer.resume(returning: .outdated) }
    }
  }

  /// Ends the thread, and in the middle the question that it is at.
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
      // What was there may be another log by now.
      log = nil
      return .refused("\(error)")
    } catch {
      return .refused("\(error)")
    }
  }

  /// The log with what was written since; opened again where another one has its name.
  private func currentLog() throws -> LogSource {
    if let log, (try? LogHeader(ofLogAt: path))?.salt == log.header.salt {
      _ = try log.refresh()
      return log
    }
    let opened = try LogSource(path: path)
    log = opened
    return opened
  }
}
