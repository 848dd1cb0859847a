@testable import EventLog

/// Verifies the input, and makes other logs of it: a compacted one, parts, merged parts, a recovered one. Each of
/// these must be closed and without findings.
enum RewriteTarget: FuzzTarget {
  static let name = "rewrite"

  static func run(_ input: [UInt8]) {
    let path = Scratch.begin(with: input)
    attempt { () throws(LogError) in _ = try LogCheck(path: path) }
    // The events of the input, which must be found again in the logs made of it.
    guard let log = try? LogReader(path: path) else { return }
    let events = lines(log)
    attempt { () throws(LogError) in
      let compaction = try LogCompaction.run(path, to: Scratch.path("compact.evlog"))
      checkOutput("compact.evlog")
      if compaction.loss == nil, let events { expectEvents(events, in: "compact.evlog") }
    }
    let middle = log.firstSeq + log.eventCount / 2
    attempt { () throws(LogError) in
      var cut = LogCut()
      cut.to = .seq(middle)
      _ = try cut.run(path, to: Scratch.path("front.evlog"))
      checkOutput("front.evlog")
      cut = LogCut()
      cut.from = .seq(middle)
      let back = try cut.run(path, to: Scratch.path("back.evlog"))
      checkOutput("back.evlog")
      _ = try LogMerge.run(
        ["front.evlog", "back.evlog"].map(Scratch.path), to: Scratch.path("merged.evlog"))
      checkOutput("merged.evlog")
      if back.loss == nil, let events { expectEvents(events, in: "merged.evlog") }
    }
    attempt { () throws(LogError) in
      _ = try LogMerge.run([path, path], to: Scratch.path("both.evlog"), prefixes: ["a", "b"])
      checkOutput("both.evlog")
    }
    attempt { () throws(LogError) in
      var cut = LogCut()
      cut.projections = ["P*", "Row"]
      if let pattern = try? PathPattern(parsing: "**.rows.**") { cut.paths = [pattern] }
      cut.from = .time(1)
      _ = try cut.run(path, to: Scratch.path("some.evlog"))
      checkOutput("some.evlog")
    }
    attempt { () throws(LogError) in
      for saved in try LogRecovery.recover(path, to: Scratch.path("saved.evlog")).logs {
        let reader = try LogReader(path: saved.path, scanned: true)
        expect(reader.isClean, "\(saved.path) is recovered, and ends so: \(reader.tail)")
      }
    }
  }

  static func mutate(_ input: [UInt8], limit: Int, seed: UInt32) -> [UInt8] {
    ReaderTarget.mutate(input, limit: limit, seed: seed)
  }

  /// Runs an operation on a log that may be false in any way; an error must be about the content of the log.
  private static func attempt(_ body: () throws(LogError) -> Void) {
    do throws(LogError) { try body() } catch {
      let expected: [LogError.Code] = [.tooLarge, .noSuchEvent, .conflict]
      if !expected.contains(error.code) { ReaderTarget.check(error) }
    }
  }

  /// The events that can be read, nil if not all can.
  private static func lines(_ log: LogReader) -> [String]? {
    var lines: [String] = []
    do { try log.forEachEvent { lines.append($0.json(statesSameValue: true)) } } catch {
      return nil
    }
    return lines
  }

  private static func checkOutput(_ name: String) {
    do {
      let check = try LogCheck(path: Scratch.path(name))
      expect(check.findings.isEmpty, "\(name): \(check.findings)")
      guard case .clean = check.tail else {
        fatalError("\(name) is written, and ends so: \(check.tail)")
      }
    } catch { fatalError("\(name) is written and does not open: \(error)") }
  }

  private static func expectEvents(_ events: [String], in name: String) {
    let written = (try? LogReader(path: Scratch.path(name))).flatMap(lines)
    expect(
      written == events,
      "\(name) holds \(written?.count ?? -1) events, and not the same \(events.count)")
  }
}
