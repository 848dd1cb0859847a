/// The names of the paths and projections of a run, by ids that are the same in every block.
@usableFromInline
package struct RunTables: Sendable {
  private var paths = PathTree()
  @usableFromInline var projections: ProjectionNames
  /// Changes when the ids of paths start over.
  package private(set) var epoch: UInt32 = 0
  private let pathsMax: Int

  /// - Parameter pathsMax: The number of paths after which their ids start over. It is more than most
  ///   programs have, and bounds the memory for the others.
  /// - Parameter projectionsKept: For at least this many events an ended projection keeps its id. This must
  ///   cover the time for which anything is remembered about it. Nil keeps all ids.
  package init(pathsMax: Int = 1 << 18, projectionsKept: UInt64? = 1 << 19) {
    self.pathsMax = pathsMax
    projections = ProjectionNames(kept: projectionsKept)
  }

  /// The ids of everything that a block names. Cost: a hash for each path.
  package mutating func ids(of tables: BlockTables) -> BlockIDs {
    startOverIfFull()
    projections.giveBack()
    return BlockIDs(paths: paths.intern(tables), epoch: epoch, strings: tables.strings)
  }

  /// Starts the ids of paths over if there are too many. Call it between two events, because earlier ids
  /// become invalid.
  package mutating func startOverIfFull() {
    if paths.count <= pathsMax, paths.textBytes <= Self.pathBytesMax { return }
    paths = PathTree()
    epoch += 1
  }

  /// The bytes of names after which the ids of paths start over, too.
  private static let pathBytesMax = 64 << 20

  package var projectionBytes: Int { projections.textBytes }

  /// The ids of the paths of a block, indexed by their ids in the block. Cost: a hash for each path.
  mutating func pathIDs(of tables: BlockTables) -> [PathID] {
    paths.intern(tables).map { PathID($0, epoch: epoch) }
  }

  /// The path with an id, newly created. Cost: linear in its depth.
  package func path(_ id: PathID) -> Path {
    assert(id.epoch == epoch, "the id is from before the ids of paths started over")
    return paths.path(Int(id.index))
  }

  /// The last step of a path. Cost: constant, and linear in the length of a name.
  package func step(_ id: PathID) -> PathStep {
    assert(id.epoch == epoch, "the id is from before the ids of paths started over")
    return paths.step(Int(id.index)) { PathID(UInt32(bitPattern: $0), epoch: id.epoch) }
  }

  /// The id of a path. Cost: a hash a step.
  package mutating func id(of path: Path) -> PathID { Self.id(paths.intern(path), epoch) }

  mutating func id(ofRoot name: String) -> PathID { Self.id(paths.intern(.named(name)), epoch) }

  /// The id of a path one step below another. Cost: a hash, and one of a name.
  mutating func id(of step: PathComponent, below path: PathID) -> PathID {
    Self.id(paths.intern(step, below: Int32(bitPattern: path.index)), epoch)
  }

  /// The id of the path that has the steps of `path` below its root, appended to `other`; nil if that has too
  /// many steps. Cost: a hash for each step.
  mutating func id(of path: PathID, below other: PathID) -> PathID? {
    if depth(of: path) + depth(of: other) > Path.maximumDepth { return nil }
    return Self.id(paths.intern(Int32(bitPattern: path.index), below: Int32(bitPattern: other.index)), epoch)
  }

  // This is static, because a method of the instance would copy it before the paths grow, and thereby copy
  // all paths.
  private static func id(_ number: Int32, _ epoch: UInt32) -> PathID {
    PathID(UInt32(bitPattern: number), epoch: epoch)
  }

  /// The number of steps that a path has below its root. Cost: linear in it.
  func depth(of path: PathID) -> Int { paths.root(of: Int(path.index)).depth }

  /// The object that a path begins with; nil if it begins with a root. Cost: linear in its depth.
  func object(of path: PathID) -> ObjectID? { paths.root(of: Int(path.index)).object }

  /// The steps of a path below its root. Cost: linear in them.
  func steps(of path: PathID) -> [PathComponent] { paths.path(Int(path.index)).components }

  /// The name of a projection, newly created. Empty if its id was given back, as can happen for a parent that
  /// ended long before its child. Cost: linear in the name's length.
  package func name(_ id: ProjectionID) -> String { projections.name(id) }

  /// The id of a projection; adds it if it is new. Cost: a hash.
  package mutating func id(ofProjection name: String) -> ProjectionID {
    var name = name
    return name.withUTF8 { projections.intern($0) }
  }

  /// The id of a projection, which is then never given back. Use it for the few projections that a user asks
  /// for by name.
  package mutating func keptID(ofProjection name: String) -> ProjectionID {
    let id = id(ofProjection: name)
    projections.pin(id)
    return id
  }

  /// The id of the projection that a string of a block names. Cost: a hash.
  mutating func id(ofProjection string: StringID, of strings: borrowing StringSlices) -> ProjectionID {
    strings.withBytes(string.index) { projections.intern($0) }
  }

  /// Records how a row changes a projection's life. The id of a living projection is not given back.
  @inlinable @inline(__always)
  package mutating func apply(_ kind: EventKind, of projection: ProjectionID, at seq: UInt64) {
    projections.apply(kind, of: projection, at: seq)
  }

  /// Gives back the ids of projections that ended long ago. Call it between two events.
  package mutating func giveBackProjections() { projections.giveBack() }

  /// Changes when ids of projections are given back.
  package var projectionEpoch: UInt32 { projections.epoch }

  /// The number of paths and projections that have ids.
  package var entryCount: Int { paths.count + projections.count }
}

/// The last step of a path.
package enum PathStep: Hashable, Sendable {
  case root(Path.Root)
  /// A component below another path.
  case component(PathComponent, below: PathID)
}

/// The names of the projections of a run. Those that ended long ago are dropped, so that the table holds the
/// living ones and a bounded number of others.
@usableFromInline
struct ProjectionNames: Sendable {
  private var names = StringTable()
  /// For each index, how often it was given back.
  @usableFromInline var uses: [UInt32] = []
  /// For each index, the event at which its projection ended; 0 for a living one, and for one that was named
  /// without being created.
  @usableFromInline var endedAt: [UInt64] = []
  /// The projections that have ended, in order; some may live again.
  @usableFromInline var ended: [(index: UInt32, seq: UInt64)] = []
  @usableFromInline var seq: UInt64 = 1
  private let kept: UInt64?
  private(set) var epoch: UInt32 = 0
  /// The indices of projections that a user asked for by name. They are not given back.
  private var pinned: Set<Int> = []
  /// The number of ids that are given back together, since this costs a pass over the whole table.
  private let batch: Int

  init(kept: UInt64?) {
    self.kept = kept
    batch = Int(min(kept ?? 1, 1 << 16))
  }

  var count: Int { names.count }

  var textBytes: Int { names.bytes.count }

  func name(_ id: ProjectionID) -> String {
    uses[id.denseIndex] == id.use ? names.string(id.denseIndex) : ""
  }

  mutating func intern(_ name: UnsafeBufferPointer<UInt8>) -> ProjectionID {
    let count = names.count
    let index = names.intern(name)
    if index == uses.count {
      uses.append(0)
      endedAt.append(0)
    }
    if names.count > count { markEnd(index) }
    return ProjectionID(index, use: uses[index])
  }

  mutating func pin(_ id: ProjectionID) { pinned.insert(id.denseIndex) }

  @inlinable @inline(__always)
  mutating func apply(_ kind: EventKind, of projection: ProjectionID, at seq: UInt64) {
    self.seq = seq
    if kind == .invalidate { return }
    let index = projection.denseIndex
    if kind.lifeChange == .ends { return markEnd(index) }
    if endedAt[index] != 0 { endedAt[index] = 0 }
  }

  @usableFromInline
  mutating func markEnd(_ index: Int) {
    endedAt[index] = max(seq, 1)
    if kept != nil { ended.append((UInt32(truncatingIfNeeded: index), endedAt[index])) }
  }

  /// Gives back the ids of projections that ended long ago, if there are enough of them.
  mutating func giveBack() {
    guard let kept, ended.count > batch, seq > kept, ended[batch / 2].seq < seq - kept else { return }
    let due = ended.firstIndex { $0.seq >= seq - kept } ?? ended.count
    var gone: [Int] = []
    for (index, seq) in ended[..<due] where endedAt[Int(index)] == seq && !pinned.contains(Int(index)) {
      gone.append(Int(index))
      uses[Int(index)] &+= 1
      // The same projection may be listed twice for one event.
      endedAt[Int(index)] = 0
    }
    ended.removeSubrange(..<due)
    names.remove(gone)
    epoch += 1
  }
}

/// The ids in a run for the ids of one block.
@usableFromInline
package struct BlockIDs: Sendable {
  /// The ids of paths, by their indices in the block.
  @usableFromInline let paths: [UInt32]
  @usableFromInline let epoch: UInt32
  /// The ids of projections, by the indices of their strings in the block; the largest number if the id was
  /// not looked up yet.
  @usableFromInline var projections: [UInt32]
  /// For each projection, how often its index had been given back before.
  @usableFromInline var uses: [UInt32]
  private let strings: StringSlices

  package init() { self.init(paths: [], epoch: 0, strings: StringSlices()) }

  fileprivate init(paths: [UInt32], epoch: UInt32, strings: StringSlices) {
    self.paths = paths
    self.epoch = epoch
    self.strings = strings
    projections = Array(repeating: .max, count: strings.count)
    uses = Array(repeating: 0, count: strings.count)
  }

  @inlinable @inline(__always)
  package func path(_ path: BlockPathID) -> PathID { PathID(paths[path.index], epoch: epoch) }

  /// The id of the projection that a string of the block names. Cost: a hash the first time in a block.
  @inlinable @inline(__always)
  package mutating func projection(_ string: StringID, _ tables: inout RunTables) -> ProjectionID {
    let known = projections[string.index]
    return known == .max
      ? find(string, &tables) : ProjectionID(Int(known), use: uses[string.index])
  }

  @usableFromInline
  mutating func find(_ string: StringID, _ tables: inout RunTables) -> ProjectionID {
    let id = tables.id(ofProjection: string, of: strings)
    projections[string.index] = id.index
    uses[string.index] = id.use
    return id
  }
}

/// Paths as a tree of steps. A path has the same id in all blocks. Ids are dense from 0, and parents come
/// before their children.
private struct PathTree: Sendable {
  /// One step as in ``BlockTables/Step``, but the operand refers to the names and ids of this table instead
  /// of a block.
  private struct Entry: Sendable {
    var operand: UInt64
    var parent: Int32
    var kind: UInt8

    static func == (a: Entry, b: Entry) -> Bool {
      a.operand == b.operand && a.parent == b.parent && a.kind == b.kind
    }
  }

  /// Kinds of steps whose id is an integer or a double: the operand holds its bits.
  private static let integerID: UInt8 = 255
  private static let doubleID: UInt8 = 254

  private var entries: [Entry] = []
  private var index = HashIndex()
  private var names = StringTable()
  private var ids: [Value] = []
  private var idNumbers: [Value: Int] = [:]
  private var idBytes = 0

  /// The number of paths.
  var count: Int { entries.count }

  var textBytes: Int { names.bytes.count + idBytes }

  /// The ids of all paths of a block, indexed by their ids in the block. Cost: a hash for each path.
  mutating func intern(_ tables: BlockTables) -> [UInt32] {
    var names = [Int32](repeating: -1, count: tables.stringCount)
    var numbers: [UInt32] = []
    numbers.reserveCapacity(tables.steps.count)
    for step in tables.steps {
      let parent = step.parent.map { Int32(bitPattern: numbers[$0.index]) } ?? -1
      var entry = Entry(operand: step.operand, parent: parent, kind: step.kind)
      switch step.kind {
      case PathCode.namedRoot, PathCode.property, PathCode.key:
        let string = Int(step.operand)
        if names[string] < 0 { names[string] = Int32(name(string, of: tables)) }
        entry.operand = UInt64(names[string])
      case PathCode.id: (entry.kind, entry.operand) = id(tables.ids[Int(step.operand)])
      default: break
      }
      numbers.append(UInt32(bitPattern: intern(entry)))
    }
    return numbers
  }

  /// The id of a path. Cost: a hash a step.
  mutating func intern(_ path: Path) -> Int32 {
    path.components.reduce(into: intern(path.root)) { $0 = intern($1, below: $0) }
  }

  mutating func intern(_ root: Path.Root) -> Int32 {
    switch root {
    case .named(let name): intern(Entry(operand: self.name(name), parent: -1, kind: PathCode.namedRoot))
    case .object(let id): intern(Entry(operand: id.number, parent: -1, kind: PathCode.objectRoot))
    }
  }

  mutating func intern(_ component: PathComponent, below parent: Int32) -> Int32 {
    var entry = Entry(operand: 0, parent: parent, kind: PathCode.exists)
    switch component {
    case .property(let name): (entry.kind, entry.operand) = (PathCode.property, self.name(name))
    case .key(let name): (entry.kind, entry.operand) = (PathCode.key, self.name(name))
    case .index(let index):
      (entry.kind, entry.operand) = (PathCode.index, UInt64(bitPattern: Int64(index)))
    case .id(let id): (entry.kind, entry.operand) = self.id(id)
    case .count: entry.kind = PathCode.count
    case .order: entry.kind = PathCode.order
    case .exists: break
    }
    return intern(entry)
  }

  /// The id of the path that has the steps of one path, below its root, appended to another.
  mutating func intern(_ number: Int32, below parent: Int32) -> Int32 {
    var entry = entries[Int(number)]
    if entry.parent < 0 { return parent }
    entry.parent = intern(entry.parent, below: parent)
    return intern(entry)
  }

  /// The number of steps that a path has below its root, and the object that it begins with, if any.
  func root(of number: Int) -> (depth: Int, object: ObjectID?) {
    var (entry, depth) = (entries[number], 0)
    while entry.parent >= 0 {
      entry = entries[Int(entry.parent)]
      depth += 1
    }
    return (depth, entry.kind == PathCode.objectRoot ? ObjectID(entry.operand) : nil)
  }

  /// The path with an id. Cost: linear in its depth.
  func path(_ number: Int) -> Path {
    var components: [PathComponent] = []
    var entry = entries[number]
    while entry.parent >= 0 {
      components.append(component(entry))
      entry = entries[Int(entry.parent)]
    }
    components.reverse()
    return Path(root: root(entry), components: components)
  }

  /// The last step of the path with an id.
  func step(_ number: Int, _ id: (Int32) -> PathID) -> PathStep {
    let entry = entries[number]
    return entry.parent < 0 ? .root(root(entry)) : .component(component(entry), below: id(entry.parent))
  }

  private func root(_ entry: Entry) -> Path.Root {
    entry.kind == PathCode.namedRoot
      ? .named(names.string(Int(entry.operand))) : .object(ObjectID(entry.operand))
  }

  private func component(_ entry: Entry) -> PathComponent {
    switch entry.kind {
    case PathCode.property: .property(names.string(Int(entry.operand)))
    case PathCode.key: .key(names.string(Int(entry.operand)))
    case PathCode.index: .index(Int(Int64(bitPattern: entry.operand)))
    case PathCode.id: .id(ids[Int(entry.operand)])
    case Self.integerID: .id(.int(Int64(bitPattern: entry.operand)))
    case Self.doubleID: .id(.double(Double(bitPattern: entry.operand)))
    case PathCode.count: .count
    case PathCode.order: .order
    default: .exists
    }
  }

  private mutating func name(_ string: Int, of tables: BlockTables) -> Int {
    tables.strings.withBytes(string) { names.intern($0) }
  }

  private mutating func name(_ name: String) -> UInt64 {
    var name = name
    return UInt64(name.withUTF8 { names.intern($0) })
  }

  private mutating func id(_ value: Value) -> (kind: UInt8, operand: UInt64) {
    if case .int(let number) = value { return (Self.integerID, UInt64(bitPattern: number)) }
    // Equal doubles can have different bits (0.0 and -0.0), which are written differently.
    if case .double(let number) = value { return (Self.doubleID, number.bitPattern) }
    if let known = idNumbers[value] { return (PathCode.id, UInt64(known)) }
    if case .string(let text) = value { idBytes += text.utf8.count }
    ids.append(value)
    idNumbers[value] = ids.count - 1
    return (PathCode.id, UInt64(ids.count - 1))
  }

  private mutating func intern(_ entry: Entry) -> Int32 {
    let hash = Self.hash(entry)
    if let number = index.find(hash, where: { entries[$0] == entry }) { return Int32(number) }
    entries.append(entry)
    index.add(entries.count - 1, hash) { Self.hash(entries[$0]) }
    return Int32(entries.count - 1)
  }

  /// A random seed for each process, so that no recorded paths can be chosen to collide.
  private static let seed = UInt64.random(in: .min ... .max)

  @inline(__always)
  private static func hash(_ entry: Entry) -> Int {
    let step = UInt64(UInt32(bitPattern: entry.parent)) << 8 | UInt64(entry.kind)
    let (high, low) = (entry.operand ^ seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    let (top, bottom) = (high ^ low ^ step ^ seed >> 7).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return Int(truncatingIfNeeded: (top ^ bottom) >> 8)
  }
}
