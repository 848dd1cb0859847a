import EventLog
import Foundation
import Testing

@Suite struct ActionFormsTests {
  /// The program's source has every form of the documentation, with one and with three statements.
  @Test func actionsAreWrittenWithoutAThoughtForOverloads() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "forms-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let log = folder.appending(path: "forms.evlog")
    let process = Process()
    process.executableURL = try program()
    process.arguments = [log.path]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)

    var labels: [UInt64: String] = [:]
    var writes: [String: Int] = [:]
    try LogReader(path: log.path).forEachEvent { event in
      if case .action(let label) = event.body { labels[event.seq] = label }
      guard case .set(let path, _, _) = event.body, !path.components.isEmpty else { return }
      writes[event.cause.flatMap { labels[$0] } ?? "none", default: 0] += 1
    }
    #expect(
      writes == [
        "Top": 1, "Top three": 3, "Top await": 1, "Top await three": 3, "Add": 1, "Add three": 3,
        "Refresh": 1,
        "Refresh three": 3, "One": 1, "Three": 3, "Await one": 1, "Await three": 3, "Try": 1, "Try three": 3,
        "Load three": 1, "Top unused": 1, "Unused": 1, "Next": 1, "Method": 1,
      ])
    #expect(Set(labels.values).isSuperset(of: ["Top load", "Load", "Unused load", "Work", "Work and wait"]))
  }

  /// The program is built beside the tests.
  private func program() throws -> URL {
    let folders = [Bundle.main.executableURL, Bundle.main.bundleURL, URL(filePath: CommandLine.arguments[0])]
    let programs = folders.compactMap { $0?.deletingLastPathComponent().appending(path: "action-forms") }
    return try #require(programs.first { FileManager.default.isExecutableFile(atPath: $0.path) })
  }
}
