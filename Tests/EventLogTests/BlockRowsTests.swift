import Testing

@testable import EventLog

@Suite struct BlockRowsTests {
  @Test(arguments: [1, 9, 4096]) func rowsSayWhatTheEventsSay(blockEvents: Int) throws {
    let log = try SmallLog(events: 600, blockEvents: blockEvents)
    var events: [Event] = []
    try LogReader(path: log.file.path).forEachBlock { info, rows in
      #expect(rows.count == info.eventCount)
      // A fresh row each time: what a row does not say must not come from the one before.
      var reused = Row()
      var again = rows
      var row = Row()
      while try rows.next(&row) {
        #expect(try again.next(&reused))
        let event = event(row, rows)
        #expect(exact([event]) == exact([self.event(reused, again)]), "seed \(log.seed)")
        events.append(event)
        row = Row()
      }
      #expect(try !again.next(&reused))
    }
    #expect(exact(events) == exact(log.events), "seed \(log.seed)")
  }

  @Test func everyPathOfATableIsItsParentAndAStep() throws {
    let log = try SmallLog(events: 300, blockEvents: 100)
    try LogReader(path: log.file.path).forEachBlock { _, rows in
      for id in rows.tables.steps.indices {
        let path = rows.tables.path(id)
        switch rows.tables.entry(id) {
        case .root(let root): #expect(path == Path(root: root))
        case .step(let parent, let component):
          #expect(parent.index < id)
          #expect(path == rows.tables.path(Int(parent.index)).appending(component))
        }
        #expect(path.components.count == rows.tables.steps[id].depth)
      }
    }
  }

  @Test func aFaultInARowIsAnErrorOfItsLog() throws {
    let log = try SmallLog(events: 20, blockEvents: 5)
    let reader = try LogReader(path: log.file.path)
    let error = #expect(throws: LogError.self) {
      try reader.forEachBlock { _, _ in throw DecodeFault(reason: "wrong", offset: 7) }
    }
    #expect(error?.code == .damaged)
    #expect(error?.byteOffset == log.blocks[1].offset)
    #expect(error?.payloadOffset == 7)
  }

  /// An event from a row, made by other code than the reader's.
  private func event(_ row: Row, _ rows: BlockRows) -> Event {
    let tables = rows.tables
    func text(_ id: Int) -> String? { id < 0 ? nil : tables.string(id) }
    let name = text(row.name) ?? ""
    let body: Event.Body =
      switch row.kind {
      case .set: .set(tables.path(row.path), row.value, sameValue: row.isSameValue)
      case .splice:
        .splice(
          tables.path(row.path), offset: row.offset, delete: row.delete, insert: row.value,
          sameValue: row.isSameValue)
      case .remove: .remove(tables.path(row.path), sameValue: row.isSameValue)
      case .projection: .projection(name: name, parent: text(row.parent), tracking: row.tracking)
      case .reads: .reads(projection: name, paths: rows.readPaths.map(tables.path))
      case .invalidate: .invalidate(projection: name, causes: rows.invalidationCauses)
      case .evaluate: .evaluate(projection: name, duration: row.duration, changed: row.changed)
      case .dispose: .dispose(projection: name)
      case .begin: .begin(label: text(row.name))
      case .end: .end
      case .mark: .mark(label: name)
      }
    return Event(
      seq: row.seq, time: row.time, cause: row.cause == 0 ? nil : row.cause, site: text(row.site),
      origin: Origin(
        thread: text(row.origin.thread), task: text(row.origin.task), stack: text(row.origin.stack)),
      body: body)
  }
}
