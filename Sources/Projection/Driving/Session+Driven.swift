import EventLog
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What `replay drive` asks a process for. It has one new log, so one drive takes it.
package final class RequestedDrive: Sendable {
  /// What it asks this process for.
  @TaskLocal package static var current = RequestedDrive(ProcessInfo.processInfo.environment)

  /// The recording; nil if `replay drive` has not started the process.
  package let recording: String?
  /// The new log.
  package let output: String?
  private let taker = Mutex<String?>(nil)

  package init(_ environment: [String: String]) {
    func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    recording = variable(DriveNames.recording)
    output = variable(DriveNames.output)
  }

  /// Takes the new log; returns what has taken it already, if anything has.
  package func take(for name: String) -> String? {
    taker.withLock { taker in
      defer { taker = taker ?? name }
      return taker
    }
  }
}

extension Session {
  /// The drive that `replay drive recording.evlog -- PROGRAM` asks this program for; nil if it was started in another way.
  ///
  ///     if let drive = try Session.driven() {
  ///       let chat = try drive.attach(ChatViewModel.self, root: "chat")
  ///       ChatScreen(chat).mount(in: drive.session)
  ///       try drive.run()
  ///       try drive.session.close()
  ///       return
  ///     }
  ///
  /// The environment variable `REPLAY_DRIVE` names the recording, and `REPLAY_DRIVE_OUTPUT` the new log, which replaces one
  /// that is there. One process drives once: later calls return nil.
  ///
  /// - Parameters:
  ///   - migrations: How this program's models differ from those that were recorded.
  ///   - types: As for `Recording.init(_:migrations:types:)`.
  ///   - writes: What is driven.
  ///   - delivery: When the session runs what is out of date.
  /// - Throws: `LogError` if a log cannot be read or made.
  public static func driven(
    migrations: [Migration] = [], types: [RestorableType] = [], applying writes: DrivenWrites = .uncaused,
    delivery: Delivery = .immediate
  ) throws -> Drive? {
    let request = RequestedDrive.current
    guard let recording = request.recording, request.take(for: "Session.driven()") == nil else { return nil }
    return try Drive(
      Recording(URL(filePath: recording), migrations: migrations, types: types),
      recordingTo: request.output.map { URL(filePath: $0) }, applying: writes, delivery: delivery,
      options: .replacingExisting)
  }
}
