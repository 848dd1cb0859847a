import Foundation
import Projection
import ReplayAnalysis

/// A bug as a program: what it is, the program with it and with its fix, one that looks alike and is well, and what the
/// commands should say of the first.
struct Case: Sendable {
  /// What names the cause.
  enum Answer: Sendable {
    /// The first finding of `lint`: its rule, and the projection or path that it is about.
    case lint(LintRule, String)
    /// The first reason of `why-not` for a view, after the last write of a path, or of any.
    case whyNot(String, write: String? = nil, WhyNot.Reason.Kind)
  }

  typealias Program = @Sendable (Session) -> Void

  let name: String
  let bug: String
  let answer: Answer
  let bad: Program
  let fixed: Program
  /// A program in which the same shape is no bug.
  let healthy: Program

  init(
    _ name: String, _ bug: String, _ answer: Answer, bad: @escaping Program, fixed: @escaping Program,
    healthy: @escaping Program
  ) {
    self.name = name
    self.bug = bug
    self.answer = answer
    self.bad = bad
    self.fixed = fixed
    self.healthy = healthy
  }

  static let all = parents + reads + writes + loops + stale
}

/// Passes some time, as a body does that makes views.
@inline(never) func work(_ microseconds: Int) {
  let end = ContinuousClock.now + .microseconds(microseconds)
  while ContinuousClock.now < end {}
}

/// Calls `body` with 0, 1, 2 and so on, as often as a timer of an app fires, by default each 12 ms.
func tick(_ count: Int, each milliseconds: Int = 12, _ body: (Int) -> Void) {
  for number in 0..<count {
    Thread.sleep(forTimeInterval: Double(milliseconds) / 1000)
    body(number)
  }
}

/// Lets the main run loop run, so that paced callbacks are called.
func wait(_ seconds: Double) { RunLoop.main.run(until: Date(timeIntervalSinceNow: seconds)) }
