import EventLog
import Foundation
import Projection
import Testing

/// Runs `body` with a recording that is driven through this program's code. The new log is kept if `body`
/// throws or an expectation in it fails.
///
///     @Test func theChatNoLongerMeltsDown() throws {
///       try withDrivenRecording("wide.evlog") { drive in
///         let chat = try drive.attach(ChatViewModel.self, root: "chat")
///         ChatScreen(chat).mount(in: drive.session)
///         let report = try drive.run()
///         report.expectNoMore(than: .recorded)
///       }
///     }
///
/// `replay drive OTHER.evlog -- swift test --filter theChat` drives another recording through the same test,
/// and shows the differences. There is one new log, so a second test that matches the filter throws.
///
/// - Parameters:
///   - path: The recording. A relative path is relative to the folder of the test's source file, or to the
///     current one.
///   - migrations: The differences between the models and those that were recorded.
///   - types: As for `Recording.init(_:migrations:types:)`.
///   - writes: The writes that are driven.
///   - delivery: When the session runs what is out of date.
///   - name: Part of the new log's file name; by default the name of the test. The file is in the same
///     directory as with `withRecordedSession`.
///   - file: The source file.
///   - isolation: The isolation of `body`.
///   - body: The test.
/// - Throws: The error of `body`; `LogError` if a log cannot be read or written; `DriveError` in a process
///   started by `replay drive`, if another test has already driven its recording.
public func withDrivenRecording<R>(
  _ path: String, migrations: [Migration] = [], types: [RestorableType] = [],
  applying writes: DrivenWrites = .uncaused, delivery: Delivery = .immediate,
  named name: String = #function, file: String = #filePath,
  isolation: isolated (any Actor)? = #isolation, _ body: (DrivenRecording) throws -> R
) throws -> R {
  let request = RequestedDrive.current
  if request.recording != nil, let first = request.claim(for: name) {
    throw DriveError(
      "replay drive has one new log, and \(first) has taken it; let the filter match \(name) alone")
  }
  let url = DrivenRecording.url(of: request.recording ?? path, besides: file)
  let run = try RecordedRun(name: name, keptAt: request.output, driving: url)
  defer { run.end() }
  let recording = try Recording(url, migrations: migrations, types: types)
  let drive = try Drive(
    recording, recordingTo: run.url, applying: writes, delivery: delivery, options: .replacingExisting)
  let outcome = run.watch(drive.session) {
    Result { try body(DrivenRecording(drive, recording: url, log: run.url)) }
  }
  return try run.close(drive.session, outcome)
}

/// A recording that a test drives through its program's code.
public struct DrivenRecording {
  /// The drive itself.
  public let drive: Drive
  private let recording: URL
  private let log: URL

  init(_ drive: Drive, recording: URL, log: URL) {
    self.drive = drive
    self.recording = recording
    self.log = log
  }

  /// The driven session. Make projections and callbacks in it.
  public var session: Session { drive.session }

  /// Creates the object at a root in the state in which it was attached, and attaches it; see
  /// `Drive.attach(_:root:)`.
  public func attach<Model: RecordedObject>(
    _ type: Model.Type = Model.self, root: String
  ) throws -> Model {
    try drive.attach(type, root: root)
  }

  /// Drives the rest of the recording, and compares the sessions.
  public func run() throws -> DriveReport {
    try drive.run()
    return try report()
  }

  /// Drives up to and including an event, a mark or a time; see `Drive.run(through:)`.
  public func run(through moment: DriveMoment) throws { try drive.run(through: moment) }

  /// Drives the next write, transaction or mark; see `Drive.step()`.
  @discardableResult
  public func step() throws -> Bool { try drive.step() != nil }

  /// The differences so far between the driven session and the recorded one up to the same point.
  public func report() throws -> DriveReport {
    try session.sync(.written)
    return try DriveReport(drive, recording: recording, log: log)
  }

  /// The recording at a path that a test gives.
  static func url(of path: String, besides file: String) -> URL {
    if path.hasPrefix("/") { return URL(filePath: path) }
    let beside = URL(filePath: file).deletingLastPathComponent().appending(path: path)
    return FileManager.default.fileExists(atPath: beside.path) ? beside : URL(filePath: path)
  }
}
