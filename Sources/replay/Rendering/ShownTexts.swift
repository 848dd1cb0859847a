import EventLog

/// A text ready to be printed in a table: hostile characters escaped, its width known.
struct ShownText {
  let bytes: [UInt8]
  let columns: Int

  init(_ text: String) {
    let shown = text.shown
    bytes = Array(shown.utf8)
    columns = shown.columns
  }

  /// The text in quotes, as JSON has it.
  init(quoting text: String) {
    var bytes: [UInt8] = []
    bytes.appendQuoted(text)
    self.bytes = bytes
    columns = bytes.count
  }
}

/// Texts of a run's numbers, each made once as long as there are not too many.
struct ShownTexts {
  private var known: [ShownText?] = []
  private var generation = 0
  private static let knownMax = 1 << 16

  /// The text of a number that holds as long as the generation does.
  mutating func text(_ number: Int, generation: Int = 0, _ make: () -> ShownText) -> ShownText {
    if generation != self.generation {
      self.generation = generation
      known.removeAll(keepingCapacity: true)
    }
    if number < known.count, let text = known[number] { return text }
    let text = make()
    guard number < Self.knownMax else { return text }
    if number >= known.count {
      known.append(contentsOf: repeatElement(nil, count: max(number + 1, 2 * known.count) - known.count))
    }
    known[number] = text
    return text
  }
}
