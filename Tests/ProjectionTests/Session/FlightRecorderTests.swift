import EventLog
import Foundation
import Invalidation
import Testing

@testable import Projection

struct FlightRecorderTests {
  @Test func theEndOfASessionCanBeReplayedWithoutItsBeginning() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    var options = LogOptions()
    options.blockEvents = 64
    let recorder = try FlightRecorder(keeping: .seconds(3600), bytes: 64 << 10, options: options)
    let session = Session(recordingInto: recorder)
    let board = Board()
    session.attach(board, as: "board")
    let badge = session.projection("Badge") { _ in _ = board.scores[3] }
    var noise: UInt64 = 1
    for round in 0..<20_000 {
      noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      board.scores[round % 8] = Int(truncatingIfNeeded: noise >> 20)
    }
    try recorder.dump(to: url.path)
    badge.cancel()
    try session.close()

    let log = try LogReader(path: url.path)
    #expect(log.isClean && log.firstSeq > 1000)
    var fold = try log.fold(at: log.nextSeq)
    let path = try Path(parsing: "board.scores[3]")
    #expect(fold.state.value(at: path) == .int(Int64(board.scores[3])))
    fold = try log.fold(at: log.firstSeq - 1)
    var timeline = Timeline(resuming: fold)
    var derived: [TimelineLine] = []
    var recorded = 0
    try log.forEachEvent { event in
      derived += try timeline.apply(event)
      guard case .invalidate(let name, let causes) = event.body else { return }
      let entry = derived.first { $0.seq == event.cause }
      // The part may begin with an invalidation by an event right before it.
      if let cause = event.cause, cause >= log.firstSeq {
        #expect(entry?.projection == name && entry?.causes == causes)
        recorded += 1
      }
    }
    #expect(recorded > 10 && derived.count - recorded <= 1)
  }
}

@Recorded final class Board {
  var scores: RecordedArray<Int> = [0, 0, 0, 0, 0, 0, 0, 0]
}
