import EventLog
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The drive that `replay drive` requests from a process. There is one new log, so only one drive can claim
/// it.
package final class RequestedDrive: Sendable {
  /// The request to this process.
  @TaskLocal package static var current = RequestedDrive(ProcessInfo.processInfo.environment)

  /// The recording; nil if the process was not started by `replay drive`.
  package let recording: String?
  /// The new log.
  package let output: String?
  private let claimant = Mutex<String?>(nil)

  package init(_ environment: [String: String]) {
    func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    recording = variable(DriveNames.recording)
    output = variable(DriveNames.output)
  }

  /// Claims the new log under a name; returns the name that claimed it earlier, if any.
  package func claim(for name: String) -> String? {
    claimant.withLock { claimant in
      defer { claimant = claimant ?? name }
      return claimant
    }
  }
}

extension Session {
  /// The drive that `replay drive recording.evlog -- PROGRAM` requests from this program; nil if the program
  /// was started in another way.
  ///
  ///     if let drive = try Session.driven() {
  ///       let chat = try drive.attach(ChatViewModel.self, root: "chat")
  ///       ChatScreen(chat).mount(in: drive.session)
  ///       try drive.run()
  ///       try drive.session.close()
  ///       return
  ///     }
  ///
  /// The environment variable `REPLAY_DRIVE` names the recording, and `REPLAY_DRIVE_OUTPUT` the new log,
  /// which replaces an existing file. One process drives once: later calls return nil.
  ///
  /// - Parameters:
  ///   - migrations: How this program's models differ from the recorded ones.
  ///   - types: As for `Recording.init(_:migrations:types:)`.
  ///   - writes: Which writes are driven.
  ///   - delivery: When the session runs projections that are out of date.
  /// - Throws: `LogError` if a log cannot be read or created.
  public static func driven(
    migrations: [Migration] = [], types: [RestorableType] = [], applying writes: DrivenWrites = .uncaused,
    delivery: Delivery = .immediate
  ) throws -> Drive? {
    let request = RequestedDrive.current
    guard let recording = request.recording, request.claim(for: "Session.driven()") == nil else { return nil }
    return try Drive(
      Recording(URL(filePath: recording), migrations: migrations, types: types),
      recordingTo: request.output.map { URL(filePath: $0) }, applying: writes, delivery: delivery,
      options: .replacingExisting)
  }
}
