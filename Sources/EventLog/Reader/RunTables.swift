/// The paths and names of a whole run, or of several, by ids that are the same in every block.
package struct RunTables: Sendable {
  package var paths = RunPaths()
  package var names = RunNames()
  /// Grows when the ids of paths start over; those of names never do.
  package private(set) var generation = 0

  /// More paths than most programs have; a bound for the others.
  private static let pathsMax = 1 << 18

  package init() {}

  /// The ids of what a block names. Cost: a hash a path.
  package mutating func number(_ tables: BlockTables) -> BlockNumbers {
    if paths.count > Self.pathsMax {
      paths.removeAll()
      generation += 1
    }
    return BlockNumbers(paths: paths.intern(tables), strings: tables.strings)
  }
}

/// The ids in a run of what the rows of one block name by ids of the block.
package struct BlockNumbers: Sendable {
  /// Paths, by their ids in the block.
  package let paths: [Int32]
  /// Names, by the ids of the strings in the block, as far as they were asked for.
  private var names: [Int32]
  private let strings: StringSlices

  package init() { self.init(paths: [], strings: StringSlices()) }

  fileprivate init(paths: [Int32], strings: StringSlices) {
    self.paths = paths
    self.strings = strings
    names = Array(repeating: -1, count: strings.count)
  }

  /// The id of a name, if it was asked for before.
  @inline(__always)
  package func name(_ string: Int) -> Int? { names[string] < 0 ? nil : Int(names[string]) }

  /// The id of a name. Cost: a hash for the first time in a block.
  package mutating func name(_ string: Int, in run: inout RunTables) -> Int {
    if let known = name(string) { return known }
    let number = run.names.intern(string, of: strings)
    names[string] = Int32(number)
    return number
  }
}

/// The paths of a whole run, or of several, each with one id whichever block names it.
///
/// Ids are dense from 0, and parents come before their children. They hold until ``removeAll()``.
package struct RunPaths: Sendable {
  /// One step as in ``BlockTables/Step``, whose operand is a name or an id of this table and not of a block.
  private struct Entry: Sendable {
    var operand: UInt64
    var parent: Int32
    var kind: UInt8

    static func == (a: Entry, b: Entry) -> Bool {
      a.operand == b.operand && a.parent == b.parent && a.kind == b.kind
    }
  }

  /// A path by id, where that is an integer or a double: the operand holds its bits.
  private static let integerID: UInt8 = 255
  private static let doubleID: UInt8 = 254

  private var entries: [Entry] = []
  private var index = HashIndex()
  private var names = StringTable()
  private var ids: [Value] = []
  private var idNumbers: [Value: Int] = [:]

  package init() {}

  /// How many there are.
  package var count: Int { entries.count }

  /// The ids of all paths of a block, by theirs in it. Cost: a hash a path.
  package mutating func intern(_ tables: BlockTables) -> [Int32] {
    var names = [Int32](repeating: -1, count: tables.stringCount)
    var numbers: [Int32] = []
    numbers.reserveCapacity(tables.steps.count)
    for step in tables.steps {
      var entry = Entry(
        operand: step.operand, parent: step.parent < 0 ? -1 : numbers[Int(step.parent)], kind: step.kind)
      switch step.kind {
      case PathCode.namedRoot, PathCode.property, PathCode.key:
        let string = Int(step.operand)
        if names[string] < 0 { names[string] = Int32(name(string, of: tables)) }
        entry.operand = UInt64(names[string])
      case PathCode.id: (entry.kind, entry.operand) = id(tables.ids[Int(step.operand)])
      default: break
      }
      numbers.append(intern(entry))
    }
    return numbers
  }

  /// The id of a path. Cost: a hash a step.
  package mutating func intern(_ path: Path) -> Int {
    var number =
      switch path.root {
      case .named(let name): intern(Entry(operand: self.name(name), parent: -1, kind: PathCode.namedRoot))
      case .object(let id): intern(Entry(operand: id.number, parent: -1, kind: PathCode.objectRoot))
      }
    for component in path.components {
      var entry = Entry(operand: 0, parent: number, kind: PathCode.exists)
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
      number = intern(entry)
    }
    return Int(number)
  }

  /// The path with an id. Cost: linear in its depth.
  package func path(_ number: Int) -> Path {
    var components: [PathComponent] = []
    var entry = entries[number]
    while entry.parent >= 0 {
      components.append(component(entry))
      entry = entries[Int(entry.parent)]
    }
    components.reverse()
    let isNamed = entry.kind == PathCode.namedRoot
    return Path(
      root: isNamed ? .named(names.string(Int(entry.operand))) : .object(ObjectID(entry.operand)),
      components: components)
  }

  /// Forgets all ids.
  package mutating func removeAll() { self = RunPaths() }

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
    // Equal doubles may be written differently.
    if case .double(let number) = value { return (Self.doubleID, number.bitPattern) }
    if let known = idNumbers[value] { return (PathCode.id, UInt64(known)) }
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

  /// Another one in each process, so that no recorded paths can be made to collide.
  private static let seed = UInt64.random(in: .min ... .max)

  @inline(__always)
  private static func hash(_ entry: Entry) -> Int {
    let step = UInt64(UInt32(bitPattern: entry.parent)) << 8 | UInt64(entry.kind)
    let (high, low) = (entry.operand ^ seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    let (top, bottom) = (high ^ low ^ step ^ seed >> 7).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return Int(truncatingIfNeeded: (top ^ bottom) >> 8)
  }
}

/// The names of projections of a whole run, or of several, each with one id whichever block names it.
///
/// Ids are dense from 0, and hold for ever.
package struct RunNames: Sendable {
  private var table = StringTable()

  package init() {}

  /// How many names there are.
  package var count: Int { table.count }

  /// The id of a string of a block. Cost: a hash.
  mutating func intern(_ string: Int, of strings: borrowing StringSlices) -> Int {
    strings.withBytes(string) { table.intern($0) }
  }

  /// The id of a name, new if need be. Cost: a hash.
  package mutating func intern(_ name: String) -> Int {
    var name = name
    return name.withUTF8 { table.intern($0) }
  }

  /// The name with an id, as a new string. Cost: linear in its length.
  package subscript(number: Int) -> String { table.string(number) }
}
