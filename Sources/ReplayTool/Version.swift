extension Replay {
  /// What `replay --version` says: the newest that CHANGELOG.md tells of.
  static let version = "0.1.0"
}
