import Foundation

/// A small file system in memory, mounted for one test; needs to be root.
public final class SmallDevice {
  /// The directory where it is mounted.
  public let path: String
  private let isMounted: Bool

  /// Nil if none can be mounted.
  public init?(kilobytes: Int) {
    path = FileManager.default.temporaryDirectory.appending(path: "evlog-\(UUID().uuidString)").path
    guard (try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)) != nil
    else { return nil }
    isMounted = Self.run(["mount", "-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", path])
    if !isMounted { return nil }
  }

  deinit {
    if isMounted { _ = Self.run(["umount", path]) }
    try? FileManager.default.removeItem(atPath: path)
  }

  private static func run(_ command: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  /// Whether one can be mounted here.
  public static let isPermitted = SmallDevice(kilobytes: 64) != nil
}
