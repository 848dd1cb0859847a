import EventLog
import Foundation
import ReplayAnalysis
import Testing

/// Writes of callbacks, compared by the event that caused them.
@Suite struct DriveReactionTests {
  private static let root = #"{"kind":"set","path":"m","value":{"$object":"M#1","a":0,"b":0,"c":0,"d":0}}"#

  private func comparison(
    _ recorded: [String], _ driven: [String], through seq: UInt64? = nil
  ) throws -> DriveComparison {
    let files = (try SelfDrive(), try SelfDrive())
    defer {
      files.0.remove()
      files.1.remove()
    }
    try files.0.write(([Self.root] + recorded).joined(separator: "\n"))
    try files.1.write(([Self.root] + driven).joined(separator: "\n"))
    return try DriveComparison(
      LogSource(path: files.0.recorded.path), LogSource(path: files.1.recorded.path), through: seq)
  }

  private func set(_ name: String, _ value: Int, cause: Int? = nil) -> String {
    #"{"kind":"set","path":"m.\#(name)","value":\#(value)\#(cause.map { ",\"cause\":\($0)" } ?? "")}"#
  }

  @Test func aCallbackThatCameLaterIsTheSameCallback() throws {
    let comparison = try comparison(
      [set("a", 1), set("b", 1), set("c", 1, cause: 2)], [set("a", 1), set("c", 1, cause: 2), set("b", 1)])
    #expect(comparison.reactionCount == 0, "\(comparison.reactions)")
  }

  @Test func aCallbackOfACallbackBelongsToWhatBeganBoth() throws {
    let comparison = try comparison(
      [set("a", 1), set("c", 1, cause: 2), set("b", 1), set("d", 1, cause: 3)],
      [set("a", 1), set("c", 1, cause: 2), set("d", 1, cause: 3), set("b", 1)])
    #expect(comparison.reactionCount == 0, "\(comparison.reactions)")
  }

  @Test func differencesAreThoseOfTheirOwnWrite() throws {
    let comparison = try comparison(
      [set("a", 1), set("b", 1), set("c", 1, cause: 2), set("c", 2, cause: 3)],
      [set("a", 1), set("b", 1), set("c", 2, cause: 3), set("d", 1, cause: 3)])
    #expect(
      comparison.reactions.map { "\($0.change) \($0.path)" }.sorted() == ["missing m.c", "new m.d"])
  }

  @Test func onlyWhatWasDrivenIsCompared() throws {
    let recorded = [set("a", 1), set("c", 1, cause: 2), set("b", 1), set("d", 1, cause: 4)]
    let driven = Array(recorded.prefix(2))
    let partial = try comparison(recorded, driven, through: 3)
    #expect(partial.isIdentical)
    #expect(partial.reactionCount == 0)
    let whole = try comparison(recorded, driven)
    #expect(!whole.isIdentical)
    #expect(whole.reactionCount == 1)
  }

  /// One write that causes more writes than the comparison keeps; then fewer, with their paths in another
  /// order in each log.
  @Test func asMuchAsOneLikesMayFollowFromOneWrite() throws {
    let count = 70_000
    func lines(_ order: some Sequence<Int>) -> [String] {
      [set("a", 1)] + order.map { set($0.isMultiple(of: 2) ? "c" : "d", $0, cause: 2) }
    }
    let same = try comparison(lines(0..<count), lines(0..<count))
    #expect(same.reactionCount == 0)
    // The writes to each path are in order, but all writes to one path come before those to the other.
    let halves = stride(from: 0, to: 60_000, by: 2).map { $0 } + stride(from: 1, to: 60_000, by: 2)
    let turned = try comparison(lines(0..<60_000), lines(halves))
    #expect(turned.reactionCount == 0)
    let more = try comparison(lines(0..<count), lines(0..<(count + 3)))
    #expect(more.reactionCount == 3)
  }
}
