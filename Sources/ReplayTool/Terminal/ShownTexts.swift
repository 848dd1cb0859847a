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
    var start = 0
    var count = 0
    /// -1 where the text is not known.
    var columns = -1
  }

  /// By number.
  private var places: [Place] = []
  private var bytes = PrintedBytes()
  private var generation = 0
  private static let knownMax = 1 << 16

  /// Adds the text of a number, which holds as long as the generation does, and returns its columns.
  @inline(__always)
  mutating func append(
    _ number: Int, generation: Int = 0, to output: inout PrintedBytes, _ make: () -> ShownText
  ) -> Int {
    if generation == self.generation, number < places.count, places[number].columns >= 0 {
      let place = places[number]
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
    if number >= places.count {
      let count = max(number + 1, 2 * places.count)
      places.append(contentsOf: repeatElement(Place(), count: count - places.count))
    }
    places[number] = Place(start: bytes.count, count: text.bytes.count, columns: text.columns)
    bytes.append(text.bytes)
  }
}
