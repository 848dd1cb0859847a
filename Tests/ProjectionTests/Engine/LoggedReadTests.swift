import EventLog
import Foundation
import Projection
import Testing

@Recorded private final class LoggedLeaf { var a = 0 }

@Recorded private final class Branch {
  var leaves = RecordedArray((0..<3).map { _ in LoggedLeaf() })
  var count = 0
}

/// The paths by which the log of a session names the reads of its projections.
@Suite struct LoggedReadTests {
  @Test func objectsAreCalledByTheirNumbersAndRootsByTheirNames() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "reads-\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    let branch = Branch()
    session.attach(branch, as: "branch")
    let double = session.derived("double") { 2 * branch.count }
    session.projection("P") { _ in branch.leaves[1].a + branch.count + double.value }
    branch.leaves.insert(LoggedLeaf(), at: 0)
    try session.close()

    let reader = try LogReader(path: url.path)
    var added: [String] = []
    var dropped: [String] = []
    var attached: UInt64 = 0
    try reader.forEachEvent { event in
      if attached == 0, case .set = event.body { attached = event.seq }
      guard case .reads("P", .change(let new, let old)) = event.body else { return }
      added += new.map(\.description)
      dropped += old.map(\.description)
    }
    let (before, after) = (try reader.state(at: attached), try reader.state(at: .max))
    let path = try Path(parsing: "branch.leaves[1].a")
    let (first, second) = (before.bound(path).description, after.bound(path).description)
    #expect(first.hasPrefix("#") && second.hasPrefix("#") && first != second)
    #expect(Set(added) == ["branch.leaves[1]", "branch.count", "derived.double", first, second])
    #expect(dropped == [first])
  }
}
