import EventLog
import Foundation
import Testing

@testable import Projection

/// The origins of events, recorded on request.
@Suite struct OriginTests {
  @Test func everySetRecordsThreadAndStackOnRequest() throws {
    let events = try sets { session, player in
      player.level = 1
      session.recordOrigins()
      for number in 2...6 { player.level = Double(number) }
      session.stopRecordingOrigins()
      player.level = 7
    }
    #expect(events.map { $0.origin == nil } == [true, false, false, false, false, false, true])
    for event in events[1...5] {
      let stack = try #require(event.origin?.stack)
      #expect(stack.split(separator: "\n").count > 3)
      #expect(stack.hasPrefix("/"))
    }
    // One line of the source makes one stack.
    #expect(Set(events[1...5].map { $0.origin?.stack }).count == 1)
  }

  @Test func differentCallersHaveDifferentStacks() throws {
    let events = try sets { session, player in
      session.recordOrigins()
      player.level = 1
      Self.setFromElsewhere(player)
    }
    #expect(events.count == 2)
    #expect(events[0].origin?.stack != events[1].origin?.stack)
  }

  @inline(never) private static func setFromElsewhere(_ player: Player) { player.level = 2 }

  @Test func samplingKeepsOneOriginInSoManyEvents() throws {
    let events = try sets { session, player in
      for number in 0..<5 { player.level = Double(number) }
      session.recordOrigins(sampling: 10)
      for number in 5..<105 { player.level = Double(number) }
    }
    let kept = events.indices.filter { events[$0].origin != nil }
    #expect(kept == Array(stride(from: 5, to: 105, by: 10)))
  }

  @Test func samplingCountsAWriteOnceWhicheverWayItIsRecorded() throws {
    let events = try sets { session, player in
      session.projection("Reader") { _ in player.level }
      session.recordOrigins(sampling: 10)
      session.transaction { for number in 5..<105 { player.level = Double(number) } }
    }
    // The beginning of the transaction counts as well.
    #expect(events.map { $0.origin != nil } == (1...100).map { $0.isMultiple(of: 10) })
  }

  @Test func onlyWritesToTheGivenPathsRecordTheirOrigin() throws {
    let events = try sets { session, player in
      for number in 0..<5 { player.level = Double(number) }
      try session.recordOrigins(of: "*.title", "other.**")
      for number in 5..<10 {
        player.level = Double(number)
        player.title = "\(number)"
      }
    }
    for event in events {
      guard case .set(let path, _, _) = event.body else { continue }
      #expect((event.origin != nil) == path.description.hasSuffix(".title"))
    }
    #expect(events.count { $0.origin != nil } == 5)
  }

  @Test func aMalformedPatternIsAnError() {
    #expect(throws: TextError.self) { try Session().recordOrigins(of: "a..b") }
  }

  @Test func namesOfThreadAndTaskAreKept() async throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "origin-\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    session.recordOrigins()
    await Task(name: "refresh") {
      let player = Player()
      session.attach(player, as: "player")
      player.level = 1
    }.value
    await withCheckedContinuation { done in
      Thread.detachNewThread {
        Self.nameThread("loader")
        session.mark("from a thread")
        done.resume()
      }
    }
    try session.close()
    let events = try Self.events(of: url)
    let set = events.last { if case .set = $0.body { true } else { false } }
    #expect(set?.origin?.task == "refresh")
    let mark = events.last { if case .mark = $0.body { true } else { false } }
    #expect(mark?.origin?.thread == "loader")
    #expect(mark?.origin?.stack != nil)
  }

  /// Sets the name by pthreads, because a name set by Foundation is lost if the thread is quicker than the one that
  /// started it.
  private static func nameThread(_ name: String) {
    #if os(Linux)
      typealias SetName = @convention(c) (pthread_t, UnsafePointer<CChar>) -> Int32
      let setName: SetName? = CLibrary.function("pthread_setname_np")
      _ = setName?(pthread_self(), name)
    #else
      Thread.current.name = name
    #endif
  }

  @Test func theBuildIDOfAnImageIsReadFromItsNote() throws {
    let image = try #require(CallStack.image(of: CallStack.addresses()[0]))
    #if os(Linux)
      let id = BuildID.ofImage(at: image.path)
      #expect(id.count >= 16)
      let isHexadecimal = id.allSatisfy { $0.isHexDigit }
      #expect(isHexadecimal)
    #endif
    #expect(BuildID.ofImage(at: "/no/such/image") == "")
    #expect(BuildID.ofImage(at: "/") == "")
  }

  /// A damaged file is at worst a file without a build id.
  @Test func anyDamageToAnImageIsSurvived() throws {
    let image = try #require(CallStack.image(of: CallStack.addresses()[0]))
    let head = try FileHandle(forReadingFrom: URL(filePath: image.path)).read(upToCount: 8192) ?? Data()
    let url = FileManager.default.temporaryDirectory.appending(path: "image-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: url) }
    for position in 0..<min(800, head.count) {
      for byte: UInt8 in [0, 0x7F, 0xFF] {
        var damaged = head
        damaged[position] = byte
        try damaged.write(to: url)
        #expect(BuildID.ofImage(at: url.path).count % 2 == 0)
      }
      try head.prefix(position).write(to: url)
      #expect(BuildID.ofImage(at: url.path).count % 2 == 0)
    }
  }

  private static func events(of url: URL) throws -> [Event] {
    var events: [Event] = []
    try LogReader(path: url.path).forEachEvent { events.append($0) }
    return events
  }

  private func sets(_ play: (Session, Player) throws -> Void) throws -> [Event] {
    let url = FileManager.default.temporaryDirectory.appending(path: "origin-\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    let player = Player()
    session.attach(player, as: "player")
    try play(session, player)
    #expect(session.diagnostics.isEmpty)
    try session.close()
    return try Self.events(of: url).filter { event in
      guard case .set(let path, _, _) = event.body else { return false }
      return path.components.count == 1
    }
  }
}
