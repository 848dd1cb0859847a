import Foundation
import LogGenerator
import Testing
import log_child

@testable import EventLog

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
