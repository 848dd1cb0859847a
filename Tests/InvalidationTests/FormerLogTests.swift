import EventLog
import Foundation
import Testing

/// Logs that former versions of the library recorded. They never change, because the library must go on
/// reading every log.
@Suite struct FormerLogTests {
  @Test(arguments: try KeptLogs.former())
  func aFormerLogIsStillRead(log: URL) throws {
    let reader = try LogReader(path: log.path)
    #expect(reader.isClean)
    #expect(try reader.checkCheckpoints().findings == [])
  }
}

/// The logs that are kept with the sources.
enum KeptLogs {
  static func former() throws -> [URL] { try logs(in: "Tests/FormerLogs") }

  /// The former logs, and those samples that are not byte for byte among them.
  static func all() throws -> [URL] {
    let former = try former()
    let contents = try Set(former.map { try Data(contentsOf: $0) })
    return try former + logs(in: "SampleLogs").filter { !contents.contains(try Data(contentsOf: $0)) }
  }

  private static func logs(in folder: String) throws -> [URL] {
    let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    return try FileManager.default
      .contentsOfDirectory(at: package.appending(path: folder), includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "evlog" }
      .sorted { $0.path < $1.path }
  }
}
