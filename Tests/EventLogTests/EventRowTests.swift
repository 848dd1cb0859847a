import LogGenerator
import Testing

@testable import EventLog

@Suite struct EventRowTests {
  @Test(arguments: [false, true]) func anEventTakenApartIsPutTogetherAgain(fit: Bool) {
    let seed = testSeed()
    var (session, random) = (ValidSession(seed: seed), RandomEvents(seed: seed))
    for event in fit ? session.events(500) : random.events(500) {
      let row = EventRow(event)
      #expect(Event(row.row, row) == event, "seed \(seed)")
      #expect(exact([Event(row.row, row)]) == exact([event]), "seed \(seed)")
      #expect(row.row.path.map(row.path) == event.body.writtenPath, "seed \(seed)")
      #expect(row.row.projection.map(row.string) == event.body.projectionName, "seed \(seed)")
      #expect(row.row.label == nil || event.body.kind.subject == .label, "seed \(seed)")
    }
  }

  /// The rows of a block share their paths and strings, and the printer keeps the text of each. Rows made
  /// from events have their own, and the printer keeps nothing.
  @Test(arguments: [(1, false), (9, true), (9, false), (4096, true)])
  func aRowOfABlockAndItsEventPrintTheSameLine(blockEvents: Int, fit: Bool) throws {
    let log = try SmallLog(events: 500, blockEvents: blockEvents, fit: fit)
    for statesSameValue in [false, true] {
      var (printer, row, lines) = (RowPrinter(), Row(), [String]())
      try LogReader(path: log.file.path).forEachBlock { _, rows in
        while try rows.next(&row) {
          var line: [UInt8] = []
          printer.append(row, of: rows, to: &line, statesSameValue: statesSameValue)
          lines.append(String(decoding: line, as: UTF8.self))
        }
      }
      #expect(lines == log.events.map { $0.json(statesSameValue: statesSameValue) }, "seed \(log.seed)")
    }
  }
}
