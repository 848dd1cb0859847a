/// The names of projections of a whole run, or of several, each under one number whichever block names it.
///
/// Numbers are dense from 0, and hold for ever. Names that differ only in how their characters are composed are one.
package struct RunNames: Sendable {
  private var table = StringTable()
  /// The number of the first name that is the same; nearly always its own.
  private var firsts: [Int32] = []
  /// The first of each name that is not ASCII.
  private var composed: [String: Int32] = [:]

  package init() {}

  /// How many numbers there are.
  package var count: Int { firsts.count }

  /// The number of a string of a block. Cost: a hash.
  mutating func intern(_ string: Int, of strings: borrowing StringSlices) -> Int {
    strings.withBytes(string) { intern($0) }
  }

  /// The number of a name.
  package mutating func intern(_ name: String) -> Int {
    var name = name
    return name.withUTF8 { intern($0) }
  }

  /// The name with a number, made anew. Cost: linear in its length.
  package subscript(number: Int) -> String { table.string(number) }

  private mutating func intern(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    let number = table.intern(bytes)
    if number == firsts.count {
      var first = Int32(number)
      if bytes.contains(where: { $0 >= 0x80 }) {
        let name = table.string(number)
        first = composed[name] ?? first
        composed[name] = first
      }
      firsts.append(first)
    }
    return Int(firsts[number])
  }
}
