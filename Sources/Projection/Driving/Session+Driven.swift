import EventLog
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The variables by which `replay drive` tells a program what to drive.
package enum DriveVariables {
  /// The recording.
  package static let recording = "REPLAY_DRIVE"
  /// The new log.
  package static let output = "REPLAY_DRIVE_OUTPUT"
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
    let environment = ProcessInfo.processInfo.environment
    guard let recording = environment[DriveVariables.recording], !recording.isEmpty,
      isFirstDrive.exchange(false, ordering: .relaxed)
    else { return nil }
    return try Drive(
      Recording(URL(filePath: recording), migrations: migrations, types: types),
      recordingTo: environment[DriveVariables.output].map { URL(filePath: $0) }, applying: writes,
      delivery: delivery, options: .replacingExisting)
  }

  private static let isFirstDrive = Atomic(true)
}
