import LogGenerator
import EventLog
import Invalidation
import Projection
import Testing

/// A session, cut in two: compares the result of the whole with that of a checkpoint at the cut and the rest.
/// A checkpoint gives the open transactions to strand 0; the state does not depend on whose they are, and invalidations are
/// compared only where none is open.
@Suite struct CheckpointTests {
  static let shares: UInt64 = 4

  @Test(arguments: 0..<shares)
  func aStateThroughACheckpointIsTheStateThroughAllEvents(share: UInt64) throws {
    let first = RandomSessionTests.seed
    for seed in first..<(first + RandomSessionTests.sessions / 12) where seed % Self.shares == share {
      let events = Self.events(Generator.session(seed: seed))
      var random = SplitMix64(seed: seed &+ 7)
      let cut = random.upTo(events.count)
      var whole = StateFold()
      for event in events[..<cut] { whole.apply(event) }
      guard let checkpoint = whole.checkpoint() else { continue }
      var loaded = try #require(
        StateFold(checkpoint: checkpoint, after: UInt64(cut), time: whole.time), "seed \(seed)")
      var position = cut
      while true {
        let (a, b) = (Self.text(&whole), Self.text(&loaded))
        guard a == b else {
          Issue.record("seed \(seed), cut at \(cut), after event \(position)\nwhole: \(a)\nloaded: \(b)")
          return
        }
        if position == events.count { break }
        whole.apply(events[position])
        loaded.apply(events[position])
        position += 1
      }
    }
  }

  @Test(arguments: 0..<shares)
  func aTimelineThroughACheckpointGoesOnAsTheWholeOne(share: UInt64) throws {
    let first = RandomSessionTests.seed
    for seed in first..<(first + RandomSessionTests.sessions / 12) where seed % Self.shares == share {
      let events = Self.events(Generator.session(seed: seed))
      var random = SplitMix64(seed: seed &+ 7)
      let cut = random.upTo(events.count)
      var fold = StateFold()
      var whole = Timeline()
      for event in events[..<cut] {
        fold.apply(event)
        _ = try whole.apply(event)
      }
      if fold.openTransactions > 0 { continue }
      var loaded = Timeline()
      guard let checkpoint = fold.checkpoint() else { continue }
      for body in checkpoint {
        _ = try loaded.apply(Event(seq: UInt64(cut), time: 0, body: body))
      }
      for event in events[cut...] {
        let (a, b) = (try whole.apply(event), try loaded.apply(event))
        let same = a.elementsEqual(b) { $0.projection == $1.projection && $0.causes == $1.causes }
        guard same else {
          Issue.record("seed \(seed), cut at \(cut), event \(event)\nwhole: \(a)\nloaded: \(b)")
          return
        }
      }
    }
  }

  /// The events of a session up to the first that does not fit.
  private static func events(_ script: Script) -> [Event] {
    var timeline = Timeline()
    var events: [Event] = []
    for (index, line) in script.lines.enumerated() {
      var event = line.event(seq: index + 1, isSame: false)
      let isSame = line.body.same ?? timeline.state.wouldStaySame(event.body)
      event = line.event(seq: index + 1, isSame: isSame)
      guard (try? timeline.apply(event)) != nil else { break }
      events.append(event)
    }
    return events
  }

  /// All visible content of a fold, without the paths of objects that were not requested.
  private static func text(_ fold: inout StateFold) -> String {
    var state = fold.state
    var text = World(state).text + "\nnext \(state.freeObjectID), open \(fold.openTransactions)"
    for id in state.objects.keys.sorted() { text += "\n\(id) is \(state.path(of: id))" }
    // A bound read may have several names.
    let projections = fold.projectionEvents().map { body in
      guard case .reads(let name, let reads) = body else { return body }
      return .reads(projection: name, reads.mapPaths { state.bound($0) })
    }
    return text + "\n\(projections)"
  }
}
