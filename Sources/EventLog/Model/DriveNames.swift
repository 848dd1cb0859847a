/// Names that the programs and commands which drive a recording agree on.
package enum DriveNames {
  /// The environment variable that names the recording.
  package static let recording = "REPLAY_DRIVE"
  /// The environment variable that names the new log.
  package static let output = "REPLAY_DRIVE_OUTPUT"
}
