import EventLog
import FlyingSocks
import ReplayAnalysis

/// Passes the results about a growing run from the thread that computes them to the pages that show them.
final class LiveFeed: Sendable {
  /// The status that pages receive with each update.
  struct Status: Encodable, Sendable {
    enum Phase: String, Encodable, Sendable {
      /// There is no log yet.
      case waiting
      /// Still reading the events that the log had when it was opened.
      case reading
      /// At the end of a log that may grow.
      case following
      /// At the end of a log that was closed; events may still be appended to it.
      case closed
      /// At the end of a log that was not closed and that no program writes any more.
      case left
      /// The rest of the log cannot be read.
      case stuck
    }

    /// Identifies the log and the process that follows it. When it changes, a page must discard what it
    /// knows.
    var run = ""
    /// The last event that is included in the results.
    var seq: UInt64 = 0
    /// The last event that is known to be in the log.
    var known: UInt64 = 0
    var time: UInt64 = 0
    /// Increases with each new `report` and `overview`; 0 if there are none yet.
    var generation = 0
    /// The number of tiles since these were made; 0 if there is none yet.
    var tile = 0
    /// The recent rate, in events per second.
    var rate = 0
    var phase = Phase.reading
    /// Describes why following has stopped; nil while it continues.
    var problem: String?

    enum CodingKeys: String, CodingKey {
      case run, seq, known
      case time = "time_ns"
      case generation, tile, rate, phase, problem
    }
  }

  struct Contents: Sendable {
    var status = Status()
    /// The log that is followed, of which questions are answered too; nil if there is none yet.
    var log: LogReader?
    /// The status as JSON.
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

  /// Changes the contents, and notifies all pages.
  func publish(_ change: (inout Contents) -> Void) {
    state.withLock { state in
      change(&state.contents)
      let text = try? PrintedJSON(encoding: state.contents.status).text
      state.contents.statusText = text.map { Array($0.utf8) } ?? []
      for watcher in state.watchers.values { watcher.yield() }
    }
  }

  /// Starts over with another log.
  func begin(_ log: LogReader) {
    publish { $0 = Contents(status: Status(run: AccessToken().text), log: log) }
  }

  /// Notifies all pages without a change. A write to a page that has been closed then fails, and ends its
  /// stream.
  func beat() {
    state.withLock { state in
      for watcher in state.watchers.values { watcher.yield() }
    }
  }

  /// A stream with an element for each notification; those that were not yet received are merged into one.
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

/// A stream of server-sent events with the status: `id` is the last event, `data` the status as JSON.
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

    /// The next message; a comment if the status has not changed.
    mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
      guard await steps.next() != nil else { return nil }
      let contents = feed.contents
      if contents.statusText.isEmpty || contents.statusText == last { return Array(":\n\n".utf8) }
      last = contents.statusText
      return Array("id: \(contents.status.seq)\ndata: ".utf8) + contents.statusText + Array("\n\n".utf8)
    }
  }
}
