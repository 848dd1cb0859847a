import EventLog
import FlyingSocks
import ReplayAnalysis

/// What was found of a run so far, between the thread that finds it and those who look at it.
final class LiveFeed: Sendable {
  /// What is said of it with each step.
  struct Status: Encodable, Sendable {
    enum Phase: String, Encodable, Sendable {
      /// Going through what is there already.
      case reading
      /// At the end of a log that may grow.
      case following
      /// At the end of a log that was closed; it may be appended to.
      case closed
      /// The log cannot be read on.
      case stuck
    }

    /// Another one where another log is followed, or by another program: what was known holds no more.
    var run = ""
    /// The last event that is counted in.
    var seq: UInt64 = 0
    /// The last event that is known to be there.
    var known: UInt64 = 0
    var time: UInt64 = 0
    /// Which `report` and `overview` there are: a higher number where there are newer ones, 0 where there are none yet.
    var generation = 0
    /// How often there was a tile for these; 0 where they are newer than any.
    var tile = 0
    /// Events a second, lately.
    var rate = 0
    var phase = Phase.reading
    /// Why it does not go on, for people.
    var problem: String?

    enum CodingKeys: String, CodingKey {
      case run, seq, known
      case time = "time_ns"
      case generation, tile, rate, phase, problem
    }
  }

  struct Contents: Sendable {
    var status = Status()
    /// As JSON.
    var statusText: [UInt8] = []
    var report: [UInt8] = []
    var overview: [UInt8] = []
    var tile: [UInt8] = []
  }

  private struct State {
    var contents = Contents()
    var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
    var next = 0
  }

  private let state = Lock(State())

  var contents: Contents { state.withLock { $0.contents } }

  /// How many look at it now.
  var watcherCount: Int { state.withLock { $0.watchers.count } }

  /// Makes something known to all who look at it.
  func publish(_ change: (inout Contents) -> Void) {
    state.withLock { state in
      change(&state.contents)
      let text = try? PrintedJSON(encoding: state.contents.status).text
      state.contents.statusText = text.map { Array($0.utf8) } ?? []
      for watcher in state.watchers.values { watcher.yield() }
    }
  }

  /// Begins anew, with another log.
  func begin() { publish { $0 = Contents(status: Status(run: AccessToken().text)) } }

  /// Wakes all who look at it, so that they find out whether there is still somebody at their other end.
  func beat() {
    state.withLock { state in
      for watcher in state.watchers.values { watcher.yield() }
    }
  }

  /// A step for each change; several that were not waited for are one.
  fileprivate func steps() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock {
      $0.next += 1
      $0.watchers[$0.next] = continuation
      return $0.next
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.watchers[number] = nil }
    }
    continuation.yield()
    return stream
  }
}

/// The stream of events that says up to where a run is known: `id` is the last event, `data` the status as JSON.
struct StatusStream: AsyncBufferedSequence {
  typealias Element = UInt8

  let feed: LiveFeed

  func makeAsyncIterator() -> Iterator { Iterator(feed) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    private let feed: LiveFeed
    private var steps: AsyncStream<Void>.Iterator
    private var last: [UInt8]?

    init(_ feed: LiveFeed) {
      self.feed = feed
      steps = feed.steps().makeAsyncIterator()
    }

    mutating func next() async throws -> UInt8? { try await nextBuffer(suggested: 1)?.first }

    /// The next message; a comment where nothing is new.
    mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
      guard await steps.next() != nil else { return nil }
      let contents = feed.contents
      if contents.statusText.isEmpty || contents.statusText == last { return Array(":\n\n".utf8) }
      last = contents.statusText
      return Array("id: \(contents.status.seq)\ndata: ".utf8) + contents.statusText + Array("\n\n".utf8)
    }
  }
}
