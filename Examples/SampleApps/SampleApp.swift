import EventLog
import Foundation
import Projection

/// A small program without a screen, whose recorded run is a sample log.
///
/// Its bodies draw text instead of pixels. They return what they draw themselves, not what their children draw, so
/// that the log shows which runs drew something new and which were wasted.
public protocol SampleApp: SendableMetatype {
  /// Its name on the command line, and that of its log.
  static var name: String { get }
  /// What its log shows, in one sentence.
  static var summary: String { get }
  /// The type of the clock that its session waits by.
  associatedtype AppClock: Clock<Duration> = ContinuousClock
  /// The clock that its session waits by.
  static var clock: AppClock { get }

  /// Attaches the models and draws the first frame.
  init(in session: Session)

  /// The steps after the first frame, in order.
  var steps: [Step] { get }
}

/// A step of an app: a mark in the log, and what follows it.
public struct Step {
  /// The label of the mark.
  public var label: String
  let fileID: String
  let line: Int
  let perform: (Ticker) -> Void

  init(
    _ label: String, fileID: String = #fileID, line: Int = #line, perform: @escaping (Ticker) -> Void
  ) {
    self.label = label
    self.fileID = fileID
    self.line = line
    self.perform = perform
  }

  init(_ label: String, fileID: String = #fileID, line: Int = #line, perform: @escaping () -> Void) {
    self.init(label, fileID: fileID, line: line) { _ in perform() }
  }
}

extension SampleApp where AppClock == ContinuousClock {
  /// The system's clock.
  public static var clock: ContinuousClock { ContinuousClock() }
}

extension SampleApp {
  /// Begins a session for the app.
  public static func session(recordingTo file: URL, options: LogOptions = LogOptions()) throws -> Session {
    try Session(recordingTo: file, clock: clock, options: options)
  }

  /// Runs the app from its first frame to its last step, each after a mark in the log.
  ///
  /// - Parameters:
  ///   - session: A session that nothing was attached to so far, made by
  ///     ``session(recordingTo:options:)``. It stays open.
  ///   - pace: Whether time passes between the ticks of the app's clocks.
  ///   - perform: Runs a step, so that a caller can measure it.
  public static func run(
    in session: Session, pace: Pace = .none, perform: (_ label: String, () -> Void) -> Void = { $1() }
  ) {
    session.mark(firstFrame)
    var app: Self?
    perform(firstFrame) { app = Self(in: session) }
    let ticker = Ticker(pace: pace)
    for step in app?.steps ?? [] {
      session.mark(step.label, fileID: step.fileID, line: step.line)
      perform(step.label) { step.perform(ticker) }
    }
  }
}

extension SampleApp {
  /// Drives a recording of this app, or of one with the same models, through it, and ends the session.
  public static func drive(_ drive: Drive) throws {
    try drive.run(through: .mark(firstFrame))
    let app = Self(in: drive.session)
    try drive.run()
    try drive.session.close()
    withExtendedLifetime(app) {}
  }
}

/// The label of the mark before an app draws for the first time.
public let firstFrame = "first frame"
