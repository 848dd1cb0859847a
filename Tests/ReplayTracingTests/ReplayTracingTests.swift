#if Tracing
  import EventLog
  import Foundation
  import InMemoryTracing
  import LogGenerator
  import Logging
  import Projection
  import ReplayTracing
  import Testing
  import Tracing

  /// Spans are actions, lines of logs are marks, and both have their causes.
  @Suite struct ReplayTracingTests {
    @Test func whatIsWrittenInASpanHasItAsItsCause() async throws {
      try await withLog { session, log in
        let tracer = ReplayTracer(session)
        let counter = TracedCounter()
        session.attach(counter, as: "counter")
        tracer.withSpan("sync") { _ in counter.count = 1 }
        nonisolated(unsafe) let shared = counter
        await tracer.withSpan("GET /feed") { _ in
          await Task.yield()
          shared.count = 2
          await Task { shared.count = 3 }.value
          await Task.detached { shared.count = 4 }.value
        }
        shared.count = 5
        let events = try log()
        #expect(events.labels == ["sync", "GET /feed"])
        #expect(events.causes(of: "counter.count") == ["sync", "GET /feed", "GET /feed", nil, nil])
        #expect(events.outcomes == ["sync": .returned, "GET /feed": .returned])
        #expect(
          events.first { $0.body == .action(label: "sync") }?.site?.contains("ReplayTracingTests.swift")
            == true
        )
      }
    }

    @Test func theInnerOfASpanAndAnActionCounts() async throws {
      try await withLog { session, log in
        let tracer = ReplayTracer(session)
        let counter = TracedCounter()
        session.attach(counter, as: "counter")
        nonisolated(unsafe) let shared = counter
        await session.action("Tap") {
          await tracer.withSpan("GET") { _ in
            await Task.yield()
            shared.count = 1
            await session.action("Decode") {
              await Task.yield()
              shared.count = 2
              await tracer.withSpan("inner") { _ in
                await Task.yield()
                shared.count = 3
              }
            }
            shared.count = 4
          }
          shared.count = 5
        }
        let events = try log()
        #expect(events.causes(of: "counter.count") == ["GET", "Decode", "inner", "GET", "Tap"])
        #expect(events.causes == ["Tap": nil, "GET": "Tap", "Decode": "GET", "inner": "Decode"])
      }
    }

    @Test func anotherTracerGetsTheSameSpans() async throws {
      struct Failure: Error {}
      try await withLog { session, log in
        let other = InMemoryTracer()
        let tracer = ReplayTracer(session, forwardingTo: other)
        try? tracer.withSpan("outer") { outer in
          outer.attributes["path"] = "/feed"
          try tracer.withSpan("inner") { _ in throw Failure() }
        }
        try? await tracer.withSpan("gone") { _ in
          await Task.yield()
          throw CancellationError()
        }
        tracer.withSpan("status") { $0.setStatus(SpanStatus(code: .error)) }
        tracer.withSpan("twice") { $0.end() }
        let events = try log()
        #expect(
          events.outcomes == [
            "outer": .threw, "inner": .threw, "gone": .cancelled, "status": .threw, "twice": .returned,
          ])
        #expect(events.count { $0.body.kind == .finish } == 5)
        let spans = other.finishedSpans
        #expect(Set(spans.map(\.operationName)) == ["outer", "inner", "gone", "status", "twice"])
        let (outer, inner) = (
          spans.first { $0.operationName == "outer" }, spans.first { $0.operationName == "inner" }
        )
        #expect(inner?.parentSpanID == outer?.spanID)
        #expect(outer?.attributes["path"]?.toSpanAttribute() == "/feed")
        #expect(inner?.errors.count == 1)
      }
    }

    @Test func aSpanThatOutlivesTheSessionIsOnlyTheOtherTracers() async throws {
      let other = InMemoryTracer()
      let tracer = try await withLog { session, _ in ReplayTracer(session, forwardingTo: other) }
      tracer.withSpan("late") { span in #expect(span.isRecording) }
      #expect(other.finishedSpans.map(\.operationName) == ["late"])
    }

    @Test func linesAreMarksWithTheirCauses() async throws {
      struct Failure: Error {}
      try await withLog { session, log in
        var handler = ReplayLogHandler(label: "store", session: session, showing: ["count"])
        handler[metadataKey: "user"] = "Ada"
        let logger = Logger(label: "store") { _ in handler }
        session.action("Tap") {
          logger.info("refreshed", metadata: ["count": "3"])
          logger.debug("not this")
          logger.error("failed")
        }
        logger.warning("alone")
        let events = try log()
        let marks = events.compactMap { event -> (String, UInt64?)? in
          if case .mark(let label) = event.body { (label, event.cause) } else { nil }
        }
        #expect(
          marks.map(\.0) == [
            "log info store: refreshed count=3 user=…", "log error store: failed user=…",
            "log warning store: alone user=…",
          ])
        let tap = events.first { $0.body == .action(label: "Tap") }?.seq
        #expect(marks.map(\.1) == [tap, tap, nil])
        #expect(events.first { $0.body.kind == .mark }?.site?.contains("ReplayTracingTests.swift") == true)
      }
    }

    @Test func anyNumberOfSetsMayLookForTheirSpan() {
      let session = Session()
      let tracer = ReplayTracer(session)
      let counter = TracedCounter()
      session.attach(counter, as: "counter")
      tracer.withSpan("many") { _ in for _ in 0..<200_000 { counter.count += 1 } }
      #expect(counter.count == 200_000)
    }

    @Test func twoSessionsHaveTheirOwnSpans() async throws {
      try await withLog { first, logOfFirst in
        try await withLog { second, logOfSecond in
          let (a, b) = (ReplayTracer(first), ReplayTracer(second))
          let (one, two) = (TracedCounter(), TracedCounter())
          first.attach(one, as: "counter")
          second.attach(two, as: "counter")
          a.withSpan("A") { _ in
            b.withSpan("B") { _ in (one.count, two.count) = (1, 1) }
            (one.count, two.count) = (2, 2)
          }
          let (ofFirst, ofSecond) = (try logOfFirst(), try logOfSecond())
          #expect(ofFirst.causes(of: "counter.count") == ["A", "A"])
          #expect(ofSecond.causes(of: "counter.count") == ["B", nil])
        }
      }
    }
  }

  @Recorded final class TracedCounter {
    var count = 0
  }

  /// Calls the body with a session that records, and a function that ends it and returns its events.
  @discardableResult
  private func withLog<R>(_ body: (Session, () throws -> [Event]) async throws -> R) async throws -> R {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    let result = try await body(session) {
      try session.close()
      var events: [Event] = []
      try LogReader(path: url.path).forEachEvent { events.append($0) }
      return events
    }
    try session.close()
    return result
  }

  extension [Event] {
    fileprivate func label(_ seq: UInt64?) -> String? {
      guard case .action(let label)? = first(where: { $0.seq == seq })?.body else { return nil }
      return label
    }

    fileprivate var labels: [String] {
      compactMap { if case .action(let label) = $0.body { label } else { nil } }
    }

    /// The labels of the actions that caused the writes of a path.
    fileprivate func causes(of path: String) -> [String?] {
      filter { $0.body.writtenPath?.description == path }.map { label($0.cause) }
    }

    /// The label of the action around each.
    fileprivate var causes: [String: String?] {
      Dictionary(
        uniqueKeysWithValues: labels.map { name in
          (name, label(first { $0.body == .action(label: name) }?.cause))
        })
    }

    fileprivate var outcomes: [String: ActionOutcome] {
      var outcomes: [String: ActionOutcome] = [:]
      for event in self {
        if case .finish(let outcome) = event.body, let label = label(event.cause) {
          outcomes[label] = outcome
        }
      }
      return outcomes
    }
  }
#endif
