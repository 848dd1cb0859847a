/// The version of the tool, which it prints and writes into its output files.
enum ToolVersion {
  /// What `replay --version` prints: the newest version in CHANGELOG.md.
  static let version = "0.1.0"
}
