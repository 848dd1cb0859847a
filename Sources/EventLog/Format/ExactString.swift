/// A string that equals another only byte for byte.
///
/// Swift's own equality takes two spellings of an accent as one string; a log gives back what it was given.
struct ExactString: Hashable {
  let string: String

  init(_ string: String) { self.string = string }

  static func == (a: ExactString, b: ExactString) -> Bool {
    a.string == b.string && a.string.utf8.elementsEqual(b.string.utf8)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(string) }
}
