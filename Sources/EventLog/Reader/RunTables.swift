/// The paths and names of a whole run, or of several, as numbers that are the same in every block.
package struct RunTables: Sendable {
  package var paths = RunPaths()
  package var names = RunNames()
  /// Grows when the numbers of paths start over; those of names never do.
  package private(set) var generation = 0

  /// More paths than most programs have places; a bound for the others.
  private static let pathsMax = 1 << 18

  package init() {}

  /// The numbers of the paths of a block. Cost: a hash a path.
  package mutating func number(_ tables: BlockTables) -> BlockNumbers {
    if paths.count > Self.pathsMax {
      paths.removeAll()
      generation += 1
    }
    return BlockNumbers(paths: paths.intern(tables), strings: tables.strings)
  }
}

/// The numbers in a run of what the rows of one block name by numbers of the block.
package struct BlockNumbers: Sendable {
  /// Paths, by their number in the block.
  package let paths: [Int32]
  /// Names, by the number of the string in the block, as far as somebody asked.
  private var names: [Int32]
  private let strings: StringSlices

  package init() { self.init(paths: [], strings: StringSlices()) }

  fileprivate init(paths: [Int32], strings: StringSlices) {
    self.paths = paths
    self.strings = strings
    names = Array(repeating: -1, count: strings.count)
  }

  /// The number of a name, if somebody asked for it before.
  @inline(__always)
  package func name(_ string: Int) -> Int? { names[string] < 0 ? nil : Int(names[string]) }

  /// The number of a name. Cost: a hash for the first time in a block.
  package mutating func name(_ string: Int, in run: inout RunTables) -> Int {
    if let known = name(string) { return known }
    let number = run.names.intern(string, of: strings)
    names[string] = Int32(number)
    return number
  }
}
