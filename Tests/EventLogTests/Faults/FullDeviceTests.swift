import Foundation
import Testing
import log_child

@testable import EventLog

/// A small file system in memory, mounted for one test; needs to be root.
private final class SmallDevice {
  let path: String
  private let isMounted: Bool

  init?(kilobytes: Int) {
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

  static let isPermitted = SmallDevice(kilobytes: 64) != nil
}

@Suite struct FullDeviceTests {
  @Test(.enabled(if: SmallDevice.isPermitted, "a file system can be mounted here"))
  func aRealFullDiskLosesNothingThatWasAccepted() throws {
    let device = try #require(SmallDevice(kilobytes: 256))
    let path = device.path + "/run.evlog"
    let ballast = device.path + "/ballast"
    try Data((0..<200 << 10).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: URL(filePath: ballast))
    let known = KnownEvents(seed: 3)
    let writer = try LogWriter(creating: path, options: LogOptions(blockEvents: 500))
    var seq: UInt64 = 1
    let full = try #require(throws: LogError.self) {
      while seq < 1_000_000 {
        try writer.append(known.event(seq))
        seq += 1
      }
    }
    #expect(full.errno == ENOSPC)
    #expect(throws: full) { try writer.ensure(.synced) }
    #expect(try LogReader(path: path).eventCount == writer.seq(.written))
    #expect(writer.seq(.synced) == 0)
    try FileManager.default.removeItem(atPath: ballast)
    try writer.ensure(.synced)
    #expect(writer.seq(.synced) == seq - 1)
    try writer.close()
    #expect(try LogReader(path: path).allEvents() == (1..<seq).map { known.event($0) })
  }
}
