/// The lines typed before, to be fetched again.
struct LineHistory {
  private var lines: [String] = []
  /// Which of them is shown; as many as there are for the new one.
  private var place = 0
  /// The line that was being typed when the first was fetched.
  private var draft = ""
  private static let linesMax = 1000

  /// Begins with a new line.
  mutating func begin() {
    place = lines.count
    draft = ""
  }

  /// Adds a line, unless it is the same as the one before.
  mutating func add(_ line: String) {
    if line.allSatisfy({ $0 == " " }) || lines.last == line { return }
    lines.append(line)
    if lines.count > Self.linesMax { lines.removeFirst() }
  }

  /// The line before the one that is shown.
  mutating func older(than shown: String) -> String? {
    guard place > 0 else { return nil }
    if place == lines.count { draft = shown }
    place -= 1
    return lines[place]
  }

  /// The line after the one that is shown, at last the one that was being typed.
  mutating func newer() -> String? {
    guard place < lines.count else { return nil }
    place += 1
    return place == lines.count ? draft : lines[place]
  }
}
