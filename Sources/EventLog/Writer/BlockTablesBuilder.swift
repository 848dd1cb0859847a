/// The names and paths that were staged in an epoch, and the tables of the block that is being built.
struct BlockTablesBuilder: ~Copyable {
  // The definitions of the epoch so far: each text once, and by staged id the names and paths that use them.
  private(set) var epoch: UInt32 = 0
  private var texts = StringTable()
  private var names: [Int] = []
  private var paths: [StagedPath] = []
  /// The staged values in steps that name an element by id.
  private var idValues: [[UInt8]] = []

  // The block that is being built.
  var strings = StringTable()
  /// The ids in the path table.
  private(set) var ids = ValueColumns()
  private var localTexts = EpochMap<Int, UInt32>()
  private var localPaths = EpochMap<Int, UInt32>()
  private var columns = ColumnBuffers()
  private var pathCount = 0
  private var pathSteps = 0
  private var lastIndex: Int64 = 0
  /// The bytes of the texts and ids in the block's tables.
  private(set) var textBytes = 0

  /// The number of items in the tables, which counts towards ``LogFormat/itemsMax``.
  var items: Int { strings.count + pathSteps + ids.items }

  // MARK: Staged definitions

  /// The number of names and paths that are remembered.
  var stagedEntries: Int { names.count + paths.count }

  /// Drops all definitions if the next chunk is of another epoch. The block must have no events.
  mutating func enter(_ epoch: UInt32) {
    if epoch == self.epoch { return }
    self.epoch = epoch
    texts = StringTable()
    names = []
    paths = []
    idValues = []
    localTexts = EpochMap()
    localPaths = EpochMap()
  }

  mutating func addName(from row: inout RowReader) { names.append(texts.intern(row.text())) }

  mutating func addPath(from row: inout RowReader) {
    let kind = row.byte()
    let isRoot = kind == PathCode.namedRoot || kind == PathCode.objectRoot
    let parent = isRoot ? StagedPath.none : Int32(row.varint())
    let operand: UInt64
    switch kind {
    case PathCode.namedRoot, PathCode.property, PathCode.key: operand = UInt64(texts.intern(row.text()))
    case PathCode.objectRoot, PathCode.index: operand = row.varint()
    case PathCode.id:
      operand = UInt64(idValues.count)
      idValues.append(Array(row.text()))
    default: operand = 0
    }
    let depth = isRoot ? 0 : paths[Int(parent)].depth + 1
    paths.append(StagedPath(operand: operand, parent: parent, kind: kind, depth: depth))
  }

  // MARK: Ids in the block

  /// The id in the block of the string for a staged name.
  mutating func name(_ staged: UInt64) -> Int { string(names[Int(staged)]) }

  private mutating func string(_ text: Int) -> Int {
    if let id = localTexts[text] { return Int(id) }
    let id = texts.withString(text) { bytes, hash in strings.intern(bytes, hash: hash) }
    localTexts.set(text, UInt32(id))
    textBytes += texts.length(text)
    return id
  }

  /// The id in the block of a staged path.
  @inline(__always)
  mutating func path(_ staged: UInt64) -> Int {
    if let id = localPaths[Int(staged)] { return Int(id) }
    return addPath(Int(staged))
  }

  private mutating func addPath(_ staged: Int) -> Int {
    let path = paths[staged]
    var parent: Int?
    if path.parent != StagedPath.none { parent = self.path(UInt64(path.parent)) }
    let id = pathCount
    pathCount += 1
    columns.putByte(.pathKinds, path.kind)
    if let parent { columns.put(.pathParents, parent == id - 1 ? 0 : parent + 1) }
    switch path.kind {
    case PathCode.namedRoot, PathCode.property, PathCode.key:
      columns.put(.pathOperands, string(Int(path.operand)))
    case PathCode.objectRoot: columns.put(.pathOperands, path.operand)
    case PathCode.index:
      let index = Zigzag.decode(path.operand)
      columns.putZigzag(.pathOperands, index &- lastIndex)
      lastIndex = index
    case PathCode.id: addID(idValues[Int(path.operand)])
    default: break
    }
    pathSteps += Int(path.depth) + 1
    localPaths.set(staged, UInt32(id))
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
      columns.withBytes(column) { out.put(column, bytes: $0) }
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

/// A staged path as the sealing thread stores it. It is small, because a log may have as many paths as the
/// app has properties and elements.
private struct StagedPath {
  /// Depends on the kind: the index of a text, an object's number, the index of an id's value, or an array
  /// index.
  let operand: UInt64
  /// The staged id of the parent.
  let parent: Int32
  let kind: UInt8
  let depth: UInt8

  static let none: Int32 = -1
}
