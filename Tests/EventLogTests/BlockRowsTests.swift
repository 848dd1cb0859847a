import Testing

@testable import EventLog

@Suite struct BlockRowsTests {
  @Test(arguments: [1, 9, 4096]) func rowsSayWhatTheEventsSay(blockEvents: Int) throws {
    let log = try SmallLog(events: 600, blockEvents: blockEvents)
    var events: [Event] = []
    try LogReader(path: log.file.path).forEachBlock { info, rows in
      #expect(rows.count == info.eventCount)
      // A fresh row each time, so that a field that a row does not set cannot come from the previous row.
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
      for (index, step) in rows.tables.steps.enumerated() {
        let id = BlockPathID(index: index)
        let path = rows.tables.path(id)
        if let parent = step.parent, let component = rows.tables.component(id) {
          #expect(parent.index < index)
          #expect(path == rows.tables.path(parent).appending(component))
        } else {
          #expect(path == Path(root: path.root))
          #expect(step.parent == nil && rows.tables.component(id) == nil)
        }
        #expect(path.components.count == step.depth)
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

  /// The event of a row, converted by code other than the reader's.
  private func event(_ row: Row, _ rows: BlockRows) -> Event {
    let tables = rows.tables
    func text(_ id: StringID?) -> String? { id.map { tables.string($0) } }
    let name = text(row.projection) ?? ""
    let path = row.path.map { tables.path($0) } ?? Path(root: .named(""))
    let body: Event.Body =
      switch row.kind {
      case .set: .set(path, row.value, sameValue: row.isSameValue)
      case .splice:
        .splice(
          path, offset: row.offset, delete: row.delete, insert: row.value,
          sameValue: row.isSameValue)
      case .remove: .remove(path, sameValue: row.isSameValue)
      case .projection: .projection(name: name, parent: text(row.parent), tracking: row.tracking)
      case .reads where row.isChangeOfReads:
        .reads(
          projection: name,
          .change(added: rows.readPaths.map(tables.path), dropped: rows.droppedPaths.map(tables.path)))
      case .reads: .reads(projection: name, .paths(rows.readPaths.map(tables.path)))
      case .invalidate: .invalidate(projection: name, causes: rows.invalidationCauses)
      case .evaluate:
        .evaluate(
          projection: name, duration: row.duration, changed: row.changed, inputChanged: row.inputChanged,
          comparing: row.comparing)
      case .dispose: .dispose(projection: name)
      case .begin: .begin(label: text(row.label))
      case .end: .end
      case .mark: .mark(label: text(row.label) ?? "")
      case .action: .action(label: text(row.label) ?? "")
      case .finish: .finish(row.outcome ?? .returned)
      }
    return Event(
      seq: row.seq, time: row.time, cause: row.cause == 0 ? nil : row.cause, site: text(row.site),
      origin: Origin(
        thread: text(row.origin.thread), task: text(row.origin.task), stack: text(row.origin.stack),
        strand: row.origin.strand),
      body: body)
  }
}
