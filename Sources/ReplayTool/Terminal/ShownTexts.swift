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
struct ShownTexts: ~Copyable {
  private struct Place {
    var start: Int
    var count: Int
    var columns: Int
  }

  /// By number; nil where the text is not known.
  private var places = DenseMap<Int, Place?>(default: nil)
  private var bytes = PrintedBytes()
  private var generation = 0
  private static let knownMax = 1 << 16

  /// Adds the text of a number, which holds as long as the generation does, and returns its columns.
  @inline(__always)
  mutating func append(
    _ number: Int, generation: Int = 0, to output: inout PrintedBytes, _ make: () -> ShownText
  ) -> Int {
    if generation == self.generation, let place = places[number] {
      output.append(bytes, from: place.start, count: place.count)
      return place.columns
    }
    let text = make()
    note(text, of: number, generation)
    output.append(text.bytes)
    return text.columns
  }

  private mutating func note(_ text: ShownText, of number: Int, _ generation: Int) {
    if generation != self.generation {
      self.generation = generation
      places.removeAll(keepingCapacity: true)
      bytes.removeAll()
    }
    guard number < Self.knownMax else { return }
    places[number] = Place(start: bytes.count, count: text.bytes.count, columns: text.columns)
    bytes.append(text.bytes)
  }
}
