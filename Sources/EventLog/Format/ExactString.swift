/// A string that equals another only byte for byte.
///
/// Swift's own equality takes two spellings of an accent as one string; a log gives back what it was given.
struct ExactString: Hashable {
  let string: String

  init(_ string: String) { self.string = string }

  static func == (a: ExactString, b: ExactString) -> Bool {
    a.string.hasSameBytes(as: b.string)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(string) }
}
