import EventLog

/// The state after each event of a range, as JSON: the state before the range, and what its events changed.
///
/// The page applies the changes to show the state at an event. It is given the places that were changed
/// rather than paths, so it resolves nothing: which element an id names, or which object a path leads to, was
/// decided here. Of the roots it is given the whole table whenever that changes.
///
/// An object is named by its id, as `"#5"`, and values refer to it as elsewhere: `{"$ref":"#5"}`.
///
///     {"first":12,
///      "start":{"roots":{"app":"#1"},"objects":[["#1","App",{"count":3}]]},
///      "edits":[[12,"set","#1",["count"],4],[13,"new","#2","Row",{}],[20,"gone","#2"]],
///      "end":90}
///
/// A range that directly follows another has no `start`: it begins with what the other ends with.
struct StateSlice {
  let seqs: Range<UInt64>
  let file: [UInt8]

  /// Makes the slices of ranges that follow each other, in one pass over their events, up to the first that
  /// would take more than `bytesMax`.
  ///
  /// - Parameter body: Given each slice. Returns whether to go on.
  /// - Throws: What `body` throws, and `AnalysisError` if an event does not fit those before it.
  static func forEach(
    in ranges: [Range<UInt64>], of log: LogSource, bytesMax: Int, _ body: (StateSlice) throws -> Bool
  ) throws {
    guard let first = ranges.first?.lowerBound else { return }
    var state = first > log.firstSeq ? try log.state(at: first - 1) : log.base?.state ?? State()
    for seqs in ranges {
      var text = Text(
        from: seqs.lowerBound, start: seqs.lowerBound == first ? state : nil, bytesMax: bytesMax)
      var next = seqs.lowerBound
      while next < seqs.upperBound, !text.isFull {
        let events = log.events(from: next)
        guard let last = events.last, last.seq >= next else { break }
        for event in events where event.seq >= next && event.seq < seqs.upperBound {
          do throws(StateError) { try text.append(event, appliedTo: &state) } catch {
            throw AnalysisError(log, .misfit(seq: event.seq, error))
          }
        }
        next = last.seq + 1
      }
      if text.isFull { return }
      // Events that cannot be read end the slice.
      let read = seqs.lowerBound..<max(seqs.lowerBound, min(next, seqs.upperBound))
      guard try body(StateSlice(seqs: read, file: text.finished(before: read.upperBound))), read == seqs
      else { return }
    }
  }

  /// The JSON of a slice, as it is written.
  private struct Text {
    private var bytes: [UInt8] = []
    private let bytesMax: Int
    private var hasEdits = false

    init(from first: UInt64, start: State?, bytesMax: Int) {
      self.bytesMax = bytesMax
      bytes.appendText("{\"first\":\(first)")
      if let start {
        bytes.appendText(",\"start\":{\"roots\":")
        append(start.roots)
        bytes.appendText(",\"objects\":")
        var isFirst = true
        bytes.append(0x5B)
        for (id, object) in start.objects {
          if isFull { break }
          if !isFirst { bytes.append(0x2C) }
          isFirst = false
          bytes.append(0x5B)
          append(id, object)
          bytes.append(0x5D)
        }
        bytes.appendText("]}")
      }
      bytes.appendText(",\"edits\":[")
    }

    var isFull: Bool { bytes.count > bytesMax }

    mutating func finished(before end: UInt64) -> [UInt8] {
      bytes.appendText("],\"end\":\(end)}")
      return bytes
    }

    /// Applies an event to the state before it, and appends what it changes.
    mutating func append(_ event: Event, appliedTo state: inout State) throws(StateError) {
      guard event.body.kind.isWrite else { return }
      let roots = event.body.writtenPath.flatMap { $0.components.count <= 1 ? state.roots : nil }
      let effect = try state.apply(event.body)
      if isFull { return }
      for id in state.newObjects {
        if let object = state.objects[id] { edit(event.seq, "new") { $0.append(id, object) } }
      }
      if let roots, !roots.elementsEqual(state.roots, by: { $0 == $1 }) {
        edit(event.seq, "roots") { $0.append(state.roots) }
      }
      switch effect {
      case .none, .missed: break
      case .replaced(let location, let before, let after):
        guard case .object(let id) = location.owner else { break }
        guard !location.steps.isEmpty else {
          if after == nil { edit(event.seq, "gone") { $0.append(id) } }
          break
        }
        if before == after { break }
        edit(event.seq, after == nil ? "unset" : "set") {
          $0.append(id, location.steps)
          if let after {
            $0.bytes.append(0x2C)
            $0.append(after)
          }
        }
      case .spliced(let location, let offset, let removed, let inserted):
        edit(event.seq, "splice") {
          $0.append(location, "\(offset),\(removed.count)", .array(inserted))
        }
      case .edited(let location, let removed, let inserted):
        guard case .splice(_, let offset, _, _, _) = event.body else { break }
        edit(event.seq, "edit") {
          $0.append(location, "\(offset),\(removed.utf8.count)", .string(inserted))
        }
      }
    }

    private mutating func edit(_ seq: UInt64, _ kind: String, _ words: (inout Text) -> Void) {
      if hasEdits { bytes.append(0x2C) }
      hasEdits = true
      bytes.appendText("[\(seq),\"\(kind)\",")
      words(&self)
      bytes.append(0x5D)
    }

    private mutating func append(_ id: ObjectID) { bytes.appendQuoted(id.description) }

    private mutating func append(_ id: ObjectID, _ object: State.Object) {
      append(id)
      bytes.append(0x2C)
      bytes.appendQuoted(object.type)
      bytes.append(0x2C)
      append(.map(object.fields))
    }

    private mutating func append(_ value: Value) { bytes.appendValue(value) }

    private mutating func append(_ roots: NamedValues<ObjectID>) {
      append(.map(NamedValues(uniqueKeysWithValues: roots.map { ($0, Value.string($1.description)) })))
    }

    private mutating func append(_ location: NamedLocation, _ numbers: String, _ value: Value) {
      guard case .object(let id) = location.owner else { return }
      append(id, location.steps)
      bytes.appendText(",\(numbers)")
      bytes.append(0x2C)
      append(value)
    }

    /// Appends an object and the steps from it: names, as they are written in maps, and positions.
    private mutating func append(_ id: ObjectID, _ steps: [NamedLocation.Step]) {
      append(id)
      bytes.append(0x2C)
      bytes.appendArray(steps) { bytes, step in
        switch step {
        case .name(let name): bytes.appendQuoted(name.utf8.first == 0x24 ? "$" + name : name)
        case .element(let index, _): bytes.appendText(String(index))
        // An aspect is read and never written.
        case .aspect: bytes.appendText("null")
        }
      }
    }
  }
}
