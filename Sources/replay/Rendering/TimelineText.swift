import EventLog

/// The timeline as a table, printed as its entries come.
struct TimelineText {
  private let console: Console
  private var table: StreamedTable
  private var count = 0
  private var names = ShownTexts()
  private var paths = ShownTexts()

  init(_ console: Console) {
    self.console = console
    table = StreamedTable(
      .init(title: "SEQ", alignment: .right), .init(title: "TIME", alignment: .right),
      .init(title: "PROJECTION", isFlexible: true), .init(title: "WOKEN BY", isFlexible: true),
      .init(title: "CASCADE", alignment: .right), .init(title: "DEPTH", alignment: .right))
  }

  mutating func add(_ entry: TimelineEntry, of run: inout Run) throws {
    count += 1
    table.add { $0.appendDecimal(entry.seq) }
    table.add { Units.appendMoment(entry.time, to: &$0) }
    table.add(names.text(entry.projection) { ShownText(run.tables.names[entry.projection]) })
    addCauses(entry, of: &run)
    table.add { $0.appendDecimal(entry.cascade) }
    table.add { $0.appendDecimal(UInt64(entry.depth)) }
    try table.endRow(on: console)
  }

  /// Prints what is there, that nobody waits for it in vain.
  mutating func settle() throws {
    try table.settle(on: console)
    try console.flush()
  }

  mutating func finish() throws {
    if count == 0 { return try console.print("nothing was invalidated") }
    try table.finish(on: console)
    try console.print(console.style.dim(Units.count(count, "invalidation")))
  }

  /// `store.a (17), store.b (18) and 3 more`.
  private mutating func addCauses(_ entry: TimelineEntry, of run: inout Run) {
    if entry.causes.only == entry.seq { return table.add(text(ofCause: entry.seq, of: &run)) }
    let causes = entry.causes.all
    let texts = causes.prefix(2).map { ($0, text(ofCause: $0, of: &run)) }
    table.add { bytes in
      var columns = 0
      for (position, (seq, text)) in texts.enumerated() {
        let start = bytes.count
        if position > 0 { bytes.appendText(", ") }
        columns += bytes.count - start + text.columns
        bytes.append(contentsOf: text.bytes)
        if seq == entry.seq { continue }
        let number = " (\(seq))"
        bytes.appendText(number)
        columns += number.utf8.count
      }
      if causes.count > texts.count {
        let rest = " and \(causes.count - texts.count) more"
        bytes.appendText(rest)
        columns += rest.utf8.count
      }
      return columns
    }
  }

  private mutating func text(ofCause seq: UInt64, of run: inout Run) -> ShownText {
    guard let path = run.writtenPath(of: seq) else { return Self.event }
    return paths.text(path, generation: run.tables.generation) {
      ShownText(run.tables.paths.path(path).description)
    }
  }

  /// A cause that wrote nothing.
  private static let event = ShownText("event")
}

/// The timeline as JSON Lines.
struct TimelineJSON {
  private let console: Console
  private var line: [UInt8] = []
  /// Names in quotes.
  private var names = ShownTexts()

  init(_ console: Console) { self.console = console }

  mutating func add(_ entry: TimelineEntry, of run: inout Run) throws {
    line.removeAll(keepingCapacity: true)
    line.append(#"{"seq":"#, entry.seq)
    line.append(#","time_ns":"#, entry.time)
    line.appendText(#","projection":"#)
    let name = names.text(entry.projection) { ShownText(quoting: run.tables.names[entry.projection]) }
    line.append(contentsOf: name.bytes)
    line.appendText(#","causes":["#)
    if let cause = entry.causes.only {
      line.appendDecimal(cause)
    } else {
      for (position, cause) in entry.causes.all.enumerated() { line.append(position > 0 ? "," : "", cause) }
    }
    line.append(#"],"cascade":"#, entry.cascade)
    line.append(#","depth":"#, UInt64(entry.depth))
    line.appendText("}\n")
    try console.write(line)
  }
}

extension [UInt8] {
  @inline(__always)
  fileprivate mutating func append(_ text: String, _ number: UInt64) {
    appendText(text)
    appendDecimal(number)
  }
}
