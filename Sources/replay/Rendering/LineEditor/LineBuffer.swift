/// A line as it is edited: its characters, and where the cursor stands between them.
struct LineBuffer: Equatable {
  private(set) var characters: [Character] = []
  private(set) var cursor = 0

  init(_ text: String = "") {
    characters = Array(text)
    cursor = characters.count
  }

  var text: String { String(characters) }
  /// What stands before the cursor.
  var head: String { String(characters[..<cursor]) }

  mutating func insert(_ text: String) {
    let new = Array(text)
    characters.insert(contentsOf: new, at: cursor)
    cursor += new.count
  }

  /// Puts a text in the place of the last characters before the cursor.
  mutating func replace(last count: Int, with text: String) {
    let start = max(0, cursor - count)
    characters.removeSubrange(start..<cursor)
    cursor = start
    insert(text)
  }

  mutating func move(by count: Int) { cursor = min(max(0, cursor + count), characters.count) }
  mutating func moveToStart() { cursor = 0 }
  mutating func moveToEnd() { cursor = characters.count }

  mutating func deleteBackward() {
    guard cursor > 0 else { return }
    cursor -= 1
    characters.remove(at: cursor)
  }

  mutating func deleteForward() {
    if cursor < characters.count { characters.remove(at: cursor) }
  }

  mutating func deleteToStart() {
    characters.removeSubrange(..<cursor)
    cursor = 0
  }

  mutating func deleteToEnd() { characters.removeSubrange(cursor...) }

  /// Deletes the word before the cursor, and the blanks behind it.
  mutating func deleteWord() {
    var start = cursor
    while start > 0, characters[start - 1] == " " { start -= 1 }
    while start > 0, characters[start - 1] != " " { start -= 1 }
    characters.removeSubrange(start..<cursor)
    cursor = start
  }
}
