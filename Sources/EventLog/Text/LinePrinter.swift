/// Prints rows as JSON Lines: the rows of a block, or those that events are converted to.
///
/// If it knows the number of paths and strings, it formats each of them once, and reuses the text.
struct LinePrinter {
  private var paths: [[UInt8]]
  private var strings: [[UInt8]]

  /// Creates a printer for rows with ids below these numbers. With 0 it keeps no text.
  init(paths: Int = 0, strings: Int = 0) {
    self.paths = Array(repeating: [], count: paths)
    self.strings = Array(repeating: [], count: strings)
  }

  /// Appends a row as one line, without the line break.
  ///
  /// - Parameter statesSameValue: Whether to write `same_value` even if it is false.
  mutating func append(
    _ row: borrowing Row, of texts: borrowing some RowTexts, to output: inout [UInt8], statesSameValue: Bool
  ) {
    output.begin(.seq)
    output.appendDecimal(row.seq)
    output.begin(.time)
    output.appendDecimal(row.time)
    output.append(.kind, word: row.kind.name)
    // The subject: a path, a projection, a label, or nothing.
    if let path = row.path {
      output.begin(.path)
      append(path, texts, to: &output)
    }
    append(.projection, row.projection, texts, to: &output)
    append(.label, row.label, texts, to: &output)
    appendRest(of: row, texts, to: &output)
    if row.kind.isWrite, row.isSameValue || statesSameValue { output.append(.sameValue, row.isSameValue) }
    if row.cause > 0 {
      output.begin(.cause)
      output.appendDecimal(row.cause)
    }
    append(.site, row.site, texts, to: &output)
    append(.thread, row.origin.thread, texts, to: &output)
    append(.task, row.origin.task, texts, to: &output)
    append(.stack, row.origin.stack, texts, to: &output)
    if row.origin.strand > 0 {
      output.begin(.strand)
      output.appendDecimal(UInt64(row.origin.strand))
    }
    output.append(0x7D)
  }

  /// Appends the other fields of the row's kind.
  @inline(__always)
  private mutating func appendRest(
    of row: borrowing Row, _ texts: borrowing some RowTexts, to output: inout [UInt8]
  ) {
    switch row.kind {
    case .set:
      output.begin(.value)
      output.appendValue(row.value)
    case .splice:
      output.begin(.offset)
      output.appendText(String(row.offset))
      output.begin(.delete)
      output.appendText(String(row.delete))
      output.begin(.insert)
      output.appendValue(row.value)
    case .projection:
      append(.parent, row.parent, texts, to: &output)
      output.append(.tracking, word: row.tracking.rawValue)
    case .reads:
      if !row.isChangeOfReads {
        append(.paths, texts.readPaths, texts, to: &output)
      } else {
        // At least one of the two is written, so that the row is recognized as a change.
        let (added, dropped) = (texts.readPaths, texts.droppedPaths)
        if !added.isEmpty || dropped.isEmpty { append(.added, added, texts, to: &output) }
        if !dropped.isEmpty { append(.dropped, dropped, texts, to: &output) }
      }
    case .invalidate:
      output.begin(.causes)
      output.appendArray(texts.invalidationCauses) { $0.appendDecimal($1) }
    case .evaluate:
      output.begin(.duration)
      output.appendDecimal(row.duration)
      if let changed = row.changed { output.append(.changed, changed) }
      if let input = row.input { output.append(.input, word: input) }
      if row.comparing > 0 {
        output.begin(.comparing)
        output.appendDecimal(row.comparing)
      }
    case .finish: if let outcome = row.outcome { output.append(.outcome, word: outcome.rawValue) }
    default: break
    }
  }

  /// Appends a field with a list of paths.
  private mutating func append(
    _ field: EventField, _ list: [BlockPathID], _ texts: borrowing some RowTexts, to output: inout [UInt8]
  ) {
    output.begin(field)
    output.append(0x5B)
    for (position, path) in list.enumerated() {
      if position > 0 { output.append(0x2C) }
      append(path, texts, to: &output)
    }
    output.append(0x5D)
  }

  @inline(__always)
  private mutating func append(
    _ path: BlockPathID, _ texts: borrowing some RowTexts, to output: inout [UInt8]
  ) {
    let index = path.index
    guard index < paths.count else { return output.appendQuoted(texts.path(path).description) }
    if paths[index].isEmpty { paths[index].appendQuoted(texts.path(path).description) }
    output.append(contentsOf: paths[index])
  }

  /// Appends a field with a string, if there is one.
  @inline(__always)
  private mutating func append(
    _ field: EventField, _ string: StringID?, _ texts: borrowing some RowTexts, to output: inout [UInt8]
  ) {
    guard let string else { return }
    let index = string.index
    output.begin(field)
    guard index < strings.count else { return output.appendQuoted(texts.string(string)) }
    if strings[index].isEmpty { strings[index].appendQuoted(texts.string(string)) }
    output.append(contentsOf: strings[index])
  }
}

extension Event {
  /// The event as one JSON line, without the line break.
  ///
  /// `same_value` is written if it is true, or always with `statesSameValue`. A reader of a line without it
  /// computes it, with a possibly different result for a property with its own comparison.
  public func json(statesSameValue: Bool = false) -> String {
    var output: [UInt8] = []
    appendJSON(to: &output, statesSameValue: statesSameValue)
    return String(decoding: output, as: UTF8.self)
  }

  /// Appends the event as one JSON line, without the line break; see ``json(statesSameValue:)``.
  public func appendJSON(to output: inout [UInt8], statesSameValue: Bool = false) {
    let event = EventRow(self)
    var printer = LinePrinter()
    printer.append(event.row, of: event, to: &output, statesSameValue: statesSameValue)
  }
}

// MARK: Fields

/// The fields of a line.
enum EventField: Int, CaseIterable {
  case seq, time, kind
  case path, projection, label
  case value, offset, delete, insert, parent, tracking, paths, added, dropped, causes
  case duration, changed, input, comparing, outcome
  case sameValue, cause, site, thread, task, stack, strand

  /// Its name in the line.
  var name: String {
    switch self {
    case .seq: "seq"
    case .time: "time_ns"
    case .kind: "kind"
    case .path: "path"
    case .projection: "projection"
    case .label: "label"
    case .value: "value"
    case .offset: "offset"
    case .delete: "delete"
    case .insert: "insert"
    case .parent: "parent"
    case .tracking: "tracking"
    case .paths: "paths"
    case .added: "added"
    case .dropped: "dropped"
    case .causes: "causes"
    case .duration: "duration_ns"
    case .changed: "changed"
    case .input: "input"
    case .comparing: "comparing_ns"
    case .outcome: "outcome"
    case .sameValue: "same_value"
    case .cause: "cause"
    case .site: "site"
    case .thread: "thread"
    case .task: "task"
    case .stack: "stack"
    case .strand: "strand"
    }
  }

  /// The field that has this name.
  init?(name: String) {
    guard let field = Self.byName[name] else { return nil }
    self = field
  }

  private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

  /// The bytes before the value of each field, by raw value. They are never freed, so references to them need
  /// not be counted. The first field of a line opens the object.
  fileprivate nonisolated(unsafe) static let beginnings = allCases.map { field in
    let text = Array("\(field == .seq ? "{" : ",")\"\(field.name)\":".utf8)
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.count)
    _ = bytes.initialize(from: text)
    return UnsafeBufferPointer(bytes)
  }
}

extension Array<UInt8> {
  /// Appends a field without its value.
  @inline(__always)
  fileprivate mutating func begin(_ field: EventField) {
    append(contentsOf: EventField.beginnings[field.rawValue])
  }

  /// Appends a field with a word in quotes.
  @inline(__always)
  fileprivate mutating func append(_ field: EventField, word: String) {
    begin(field)
    append(0x22)
    appendText(word)
    append(0x22)
  }

  @inline(__always)
  fileprivate mutating func append(_ field: EventField, _ flag: Bool) {
    begin(field)
    appendText(flag ? "true" : "false")
  }
}
