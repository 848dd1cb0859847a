/// The names and paths that were staged so far, and the tables of the block in the making.
struct BlockTablesBuilder: ~Copyable {
  // What a log defined so far: texts, each once, and by staged id the names and paths made of them.
  private var texts = StringTable()
  private var names: [Int] = []
  private var paths: [StagedPath] = []
  /// Staged values that are ids of elements; apart, so that a path is a few numbers and costs no count of references.
  private var idValues: [[UInt8]] = []

  // The block in the making.
  var strings = StringTable()
  /// The ids in the path table.
  private(set) var ids = ValueColumns()
  private var localTexts = LocalIDs()
  private var localPaths = LocalIDs()
  private var columns = ColumnBuffers()
  private var pathCount = 0
  private var pathSteps = 0
  private var lastIndex: Int64 = 0
  /// Bytes of the texts and ids that the block's tables hold.
  private(set) var textBytes = 0

  /// What the tables count against ``LogFormat/itemsMax``.
  var items: Int { strings.count + pathSteps + ids.items }

  // MARK: What was staged

  mutating func addName(from row: inout RowReader) { names.append(texts.intern(row.text())) }

  mutating func addPath(from row: inout RowReader) {
    let kind = row.byte()
    let isRoot = kind == PathCode.namedRoot || kind == PathCode.objectRoot
    let parent = isRoot ? nil : Int(row.varint())
    let operand: StagedPath.Operand
    switch kind {
    case PathCode.namedRoot, PathCode.property, PathCode.key: operand = .text(texts.intern(row.text()))
    case PathCode.objectRoot: operand = .number(row.varint())
    case PathCode.index: operand = .index(row.zigzag())
    case PathCode.id:
      operand = .value(idValues.count)
      idValues.append(Array(row.text()))
    default: operand = .none
    }
    let depth = parent.map { paths[$0].depth + 1 } ?? 0
    paths.append(StagedPath(kind: kind, parent: parent, operand: operand, depth: depth))
  }

  // MARK: Numbers in the block

  /// The string of the block for a staged name.
  mutating func name(_ staged: UInt64) -> Int { string(names[Int(staged)]) }

  private mutating func string(_ text: Int) -> Int {
    if let id = localTexts[text] { return id }
    let id = texts.withString(text) { bytes, hash in strings.intern(bytes, hash: hash) }
    localTexts[text] = id
    textBytes += texts.length(text)
    return id
  }

  /// The path of the block for a staged one.
  @inline(__always)
  mutating func path(_ staged: UInt64) -> Int {
    localPaths[Int(staged)] ?? addPath(Int(staged))
  }

  private mutating func addPath(_ staged: Int) -> Int {
    let path = paths[staged]
    let parent = path.parent.map { localPaths[$0] ?? addPath($0) }
    let id = pathCount
    pathCount += 1
    columns.putByte(.pathKinds, path.kind)
    if let parent { columns.put(.pathParents, parent == id - 1 ? 0 : parent + 1) }
    switch path.operand {
    case .none: break
    case .text(let text): columns.put(.pathOperands, string(text))
    case .number(let number): columns.put(.pathOperands, number)
    case .index(let index):
      columns.putZigzag(.pathOperands, index &- lastIndex)
      lastIndex = index
    case .value(let value): addID(idValues[value])
    }
    pathSteps += path.depth + 1
    localPaths[staged] = id
    return id
  }

  private mutating func addID(_ value: [UInt8]) {
    value.withUnsafeBufferPointer {
      var reader = RowReader($0)
      ids.append(from: &reader, context: .pathTable, strings: &strings)
    }
    textBytes += value.count
  }

  // MARK: Sealing

  /// Moves the tables into the columns of the block.
  func fill(_ out: inout ColumnBuffers) {
    for number in 0..<strings.count { out.put(.stringLengths, strings.length(number)) }
    strings.bytes.withUnsafeBufferPointer { out.put(.stringBytes, bytes: $0) }
    for column in [Column.pathKinds, .pathParents, .pathOperands] {
      columns.withBytes(column) { out.put(column, bytes: $0, isZero: columns.isZero(column)) }
    }
  }

  mutating func removeAll() {
    strings.removeAll()
    ids.removeAll()
    localTexts.removeAll()
    localPaths.removeAll()
    columns.removeAll()
    pathSteps = 0
    lastIndex = 0
    textBytes = 0
    pathCount = 0
  }
}

/// A path as the sealing thread knows it.
private struct StagedPath {
  enum Operand {
    case none
    /// By its number among the texts of the log.
    case text(Int)
    case number(UInt64)
    case index(Int64)
    /// By its number among the values that are ids.
    case value(Int)
  }

  let kind: UInt8
  /// Staged id.
  let parent: Int?
  let operand: Operand
  let depth: Int
}
