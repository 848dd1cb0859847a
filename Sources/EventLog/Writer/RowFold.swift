/// A ``StateFold`` fed with staged rows, as the sealing thread has them.
///
/// The staged ids of paths are its keys, so a set of a scalar costs the parsing of its row and a few ns.
struct RowFold {
  private(set) var fold: StateFold
  private var names: [String] = []
  private var paths: [PathTable.Entry] = []

  /// Begins behind what the fold took in.
  init(_ fold: StateFold) {
    self.fold = fold
    self.fold.forgetKeys()
  }

  /// Takes in the rows of a chunk, which this process made.
  mutating func take(_ chunk: Chunk) {
    var position = RowPosition(startOf: chunk)
    position.read(chunk) { row, position in
      while !row.isAtEnd { take(&row, &position) }
    }
  }

  @inline(__always)
  private mutating func take(_ row: inout RowReader, _ position: inout RowPosition) {
    let code = row.byte()
    switch code {
    case StagedCode.name: names.append(row.string())
    case StagedCode.path: addPath(&row)
    case StagedCode.origin: for _ in 0..<3 { _ = row.varint() }
    default:
      position.time &+= UInt64(bitPattern: row.zigzag())
      _ = row.varint()
      _ = row.varint()
      fold.note(position.seq, position.time)
      take(code, &row)
      position.seq += 1
    }
  }

  /// The events of a checkpoint after what was taken in; see ``StateFold/checkpoint()``.
  mutating func checkpoint() -> [Event.Body]? { fold.checkpoint() }

  private mutating func take(_ code: UInt8, _ row: inout RowReader) {
    switch code & 0x0F {
    case EventCode.set:
      let path = Int(row.varint())
      let value = StagedValue.read(&row)
      if !fold.set(path, to: value) { fold.set(path, to: value, at: self.path(path)) }
    case EventCode.splice:
      let path = path(Int(row.varint()))
      let offset = Int(truncatingIfNeeded: row.varint())
      let delete = Int(truncatingIfNeeded: row.varint())
      let insert = StagedValue.read(&row)
      fold.apply(.splice(path, offset: offset, delete: delete, insert: insert, sameValue: false))
    case EventCode.remove: fold.apply(.remove(path(Int(row.varint())), sameValue: false))
    case EventCode.projection:
      let name = name(&row)
      let parent = code & EventFlag.named == 0 ? nil : self.name(&row)
      let tracking = Tracking(code: code >> EventFlag.trackingShift & 3) ?? .element
      fold.apply(.projection(name: name, parent: parent, tracking: tracking))
    case EventCode.reads:
      let name = name(&row)
      let count = row.varint()
      var places: [Path] = []
      places.reserveCapacity(Int(count))
      for _ in 0..<count { places.append(path(Int(row.varint()))) }
      fold.apply(.reads(projection: name, paths: places))
    case EventCode.invalidate:
      _ = row.varint()
      for _ in 0..<row.varint() { _ = row.varint() }
    case EventCode.evaluate:
      fold.apply(.evaluate(projection: name(&row), duration: row.varint(), changed: nil))
    case EventCode.dispose: fold.apply(.dispose(projection: name(&row)))
    case EventCode.begin, EventCode.mark:
      if code & 0x0F == EventCode.mark || code & EventFlag.named != 0 {
        _ = row.text()
      }
      if code & 0x0F == EventCode.begin { fold.apply(.begin(label: nil)) }
    case EventCode.end: fold.apply(.end)
    default: break
    }
  }

  // MARK: Tables

  private func name(_ row: inout RowReader) -> String { names[Int(row.varint())] }

  private mutating func addPath(_ row: inout RowReader) {
    let kind = row.byte()
    if kind == PathCode.namedRoot {
      paths.append(.root(.named(row.string())))
    } else if kind == PathCode.objectRoot {
      paths.append(.root(.object(ObjectID(row.varint()))))
    } else {
      let parent = PathTable.ID(index: Int32(row.varint()))
      paths.append(.step(parent: parent, component(kind, &row)))
    }
  }

  private func component(_ kind: UInt8, _ row: inout RowReader) -> PathComponent {
    switch kind {
    case PathCode.property: .property(row.string())
    case PathCode.key: .key(row.string())
    case PathCode.index: .index(Int(row.zigzag()))
    case PathCode.id: .id(StagedValue.read(inside: row.text()))
    case PathCode.count: .count
    case PathCode.order: .order
    default: .exists
    }
  }

  private func path(_ id: Int) -> Path {
    var components: [PathComponent] = []
    var next = id
    while true {
      switch paths[next] {
      case .root(let root):
        components.reverse()
        return Path(root: root, components: components)
      case .step(let parent, let component):
        components.append(component)
        next = Int(parent.index)
      }
    }
  }
}
