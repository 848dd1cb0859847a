/// A ``StateFold`` fed with staged rows, as the sealing thread has them.
///
/// The staged ids of paths are its keys, so a set of a scalar costs the parsing of its row and a few ns.
struct RowFold {
  private(set) var fold: StateFold
  private var names: [String] = []
  private var paths: [(parent: Int?, entry: Entry)] = []

  private enum Entry {
    case root(Path.Root)
    case step(PathComponent)
  }

  /// Begins behind what the fold took in.
  init(_ fold: StateFold) {
    self.fold = fold
    self.fold.forgetKeys()
  }

  /// Takes in the rows of a chunk, which this process made.
  mutating func take(_ chunk: Chunk) throws(DecodeFault) {
    var row = ByteReader(chunk.rows.bytes, in: 0..<chunk.rows.count)
    var seq = chunk.firstSeq
    var time = chunk.baseTime
    while !row.isAtEnd {
      let code = try row.byte()
      switch code {
      case StagedCode.name: names.append(try row.text(try row.varint(), "a staged name"))
      case StagedCode.path: try addPath(&row)
      default:
        time &+= UInt64(bitPattern: try row.zigzag())
        _ = try row.varint()
        _ = try row.varint()
        fold.note(seq, time)
        try take(code, &row)
        seq += 1
      }
    }
  }

  /// The events of a checkpoint after what was taken in; see ``StateFold/checkpoint()``.
  mutating func checkpoint() -> [Event.Body]? { fold.checkpoint() }

  private mutating func take(_ code: UInt8, _ row: inout ByteReader) throws(DecodeFault) {
    switch code & 0x0F {
    case EventCode.set:
      let path = Int(try row.varint())
      let value = try StagedValue.read(&row)
      if !fold.set(path, to: value) { fold.set(path, to: value, at: self.path(path)) }
    case EventCode.splice:
      let path = path(Int(try row.varint()))
      let offset = Int(truncatingIfNeeded: try row.varint())
      let delete = Int(truncatingIfNeeded: try row.varint())
      let insert = try StagedValue.read(&row)
      fold.apply(.splice(path, offset: offset, delete: delete, insert: insert, sameValue: false))
    case EventCode.remove: fold.apply(.remove(path(Int(try row.varint())), sameValue: false))
    case EventCode.projection:
      let name = try name(&row)
      let parent = code & EventFlag.named == 0 ? nil : try self.name(&row)
      let tracking = Tracking(code: code >> EventFlag.trackingShift & 3) ?? .element
      fold.apply(.projection(name: name, parent: parent, tracking: tracking))
    case EventCode.reads:
      let name = try name(&row)
      let count = try row.varint()
      var places: [Path] = []
      places.reserveCapacity(Int(count))
      for _ in 0..<count { places.append(path(Int(try row.varint()))) }
      fold.apply(.reads(projection: name, paths: places))
    case EventCode.invalidate:
      _ = try row.varint()
      for _ in 0..<(try row.varint()) { _ = try row.varint() }
    case EventCode.evaluate:
      fold.apply(.evaluate(projection: try name(&row), duration: try row.varint(), changed: nil))
    case EventCode.dispose: fold.apply(.dispose(projection: try name(&row)))
    case EventCode.begin, EventCode.mark:
      if code & 0x0F == EventCode.mark || code & EventFlag.named != 0 {
        _ = try row.take(try row.varint(), "a staged label")
      }
      if code & 0x0F == EventCode.begin { fold.apply(.begin(label: nil)) }
    case EventCode.end: fold.apply(.end)
    default: throw row.fault("a staged row has code \(code)")
    }
  }

  // MARK: Tables

  private func name(_ row: inout ByteReader) throws(DecodeFault) -> String { names[Int(try row.varint())] }

  private mutating func addPath(_ row: inout ByteReader) throws(DecodeFault) {
    let kind = try row.byte()
    if kind == PathCode.namedRoot {
      paths.append((nil, .root(.named(try row.text(try row.varint(), "a staged component")))))
    } else if kind == PathCode.objectRoot {
      paths.append((nil, .root(.object(ObjectID(try row.varint())))))
    } else {
      let parent = Int(try row.varint())
      paths.append((parent, .step(try component(kind, &row))))
    }
  }

  private func component(_ kind: UInt8, _ row: inout ByteReader) throws(DecodeFault) -> PathComponent {
    switch kind {
    case PathCode.property: .property(try row.text(try row.varint(), "a staged component"))
    case PathCode.key: .key(try row.text(try row.varint(), "a staged component"))
    case PathCode.index: .index(Int(try row.zigzag()))
    case PathCode.id:
      .id(
        try { () throws(DecodeFault) in
          var value = ByteReader(row.bytes, in: try row.take(try row.varint(), "a staged id"))
          return try StagedValue.read(&value)
        }())
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
      case (_, .root(let root)):
        components.reverse()
        return Path(root: root, components: components)
      case (let parent, .step(let component)):
        components.append(component)
        next = parent ?? 0
      }
    }
  }
}
