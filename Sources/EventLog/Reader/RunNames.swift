/// The names of projections of a whole run, or of several, each under one number whichever block names it.
///
/// Numbers are dense from 0, and hold for ever.
package struct RunNames: Sendable {
  private var table = StringTable()

  package init() {}

  /// How many numbers there are.
  package var count: Int { table.count }

  /// The number of a string of a block. Cost: a hash.
  mutating func intern(_ string: Int, of strings: borrowing StringSlices) -> Int {
    strings.withBytes(string) { table.intern($0) }
  }

  /// The number of a name.
  package mutating func intern(_ name: String) -> Int {
    var name = name
    return name.withUTF8 { table.intern($0) }
  }

  /// The name with a number, made anew. Cost: linear in its length.
  package subscript(number: Int) -> String { table.string(number) }
}
