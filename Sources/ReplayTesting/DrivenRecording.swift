import EventLog
import Foundation
import Projection
import Testing

/// Runs `body` with a recording that is driven through this program's code; the new log is kept if `body` throws or something
/// that it expects fails.
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
/// `replay drive OTHER.evlog -- swift test --filter theChat` drives another recording through the same test, and shows what
/// is different. It has one new log, so a second test that matches throws.
///
/// - Parameters:
///   - path: The recording. A relative path is from the folder of the test's source file, or from the current one.
///   - migrations: How the models differ from those that were recorded.
///   - types: As for `Recording.init(_:migrations:types:)`.
///   - writes: What is driven.
///   - delivery: When the session runs what is out of date.
///   - name: Part of the new log's file name; the name of the test by default. The file is where that of
///     `withRecordedSession` is.
///   - file: The source file.
///   - isolation: Where `body` runs.
///   - body: The test.
/// - Throws: What `body` throws; `LogError` when a log cannot be read or written; `DriveError` in a process that `replay drive`
///   started, when another test has driven its recording.
public func withDrivenRecording<R>(
  _ path: String, migrations: [Migration] = [], types: [RestorableType] = [],
  applying writes: DrivenWrites = .uncaused, delivery: Delivery = .immediate,
  named name: String = #function, file: String = #filePath,
  isolation: isolated (any Actor)? = #isolation, _ body: (DrivenRecording) throws -> R
) throws -> R {
  let request = RequestedDrive.current
  if request.recording != nil, let first = request.take(for: name) {
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

  /// The session that is driven. Make projections and callbacks in it.
  public var session: Session { drive.session }

  /// Makes the object at a root as it was when it was attached, and attaches it; see `Drive.attach(_:root:)`.
  public func attach<Model: RecordedObject>(
    _ type: Model.Type = Model.self, root: String
  ) throws -> Model {
    try drive.attach(type, root: root)
  }

  /// Drives all that is left, and compares.
  public func run() throws -> DriveReport {
    try drive.run()
    return try report()
  }

  /// Drives through an event, a mark or a time; see `Drive.run(through:)`.
  public func run(through moment: DriveMoment) throws { try drive.run(through: moment) }

  /// Drives the next write, transaction or mark; see `Drive.step()`.
  @discardableResult
  public func step() throws -> Bool { try drive.step() != nil }

  /// What the driven session did otherwise so far than the recorded one did until there.
  public func report() throws -> DriveReport {
    try session.sync(.written)
    return try DriveReport(drive, recording: recording, log: log)
  }

  /// The file that a test means.
  static func url(of path: String, besides file: String) -> URL {
    if path.hasPrefix("/") { return URL(filePath: path) }
    let beside = URL(filePath: file).deletingLastPathComponent().appending(path: path)
    return FileManager.default.fileExists(atPath: beside.path) ? beside : URL(filePath: path)
  }
}
