/// How far an event has come on its way to the disk. Each level survives what the levels before it survive.
///
/// | level | reached when | survives | lost when |
/// |---|---|---|---|
/// | `queued` | `append` returned | the end of the thread | the process dies |
/// | `written` | ``LogOptions/flushInterval`` went by, or `ensure(.written)` returned | the end of the process, however it ends | the power goes, or the kernel stops |
/// | `synced` | `ensure(.synced)` or `close()` returned | a loss of power | the device breaks its word |
///
/// Levels are reached in the order of the events: where one is, all before it are.
public enum Durability: Int, Hashable, Comparable, Sendable, CaseIterable {
  /// In the memory of the process.
  case queued
  /// With the operating system.
  case written
  /// On stable storage.
  case synced

  /// Whether a level survives less than another.
  public static func < (a: Durability, b: Durability) -> Bool { a.rawValue < b.rawValue }
}
