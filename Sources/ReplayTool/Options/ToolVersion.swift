/// The version of the tool, which it prints and writes into its output files.
enum ToolVersion {
  /// The version that `replay --version` prints: the newest in CHANGELOG.md.
  static let version = "0.1.0"
}
