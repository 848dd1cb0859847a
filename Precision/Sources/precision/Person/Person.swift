/// When a person does things. All of it is drawn before the app runs, so the mended app gets the same.
struct Person {
  var random: SplitMix64

  /// Moments of taps: seconds apart, sometimes two close together, sometimes after a long look.
  mutating func taps(_ count: Int) -> [Duration] {
    moments(count) { random in
      if random.chance(10) { return random.int(2_500...6_000) }
      return random.chance(15) ? random.int(180...350) : random.int(500...2_000)
    }
  }

  /// Moments of keys: some 100 to 300 ms apart, with pauses between words.
  mutating func keys(_ count: Int) -> [Duration] {
    moments(count) { $0.chance(12) ? $0.int(500...1_400) : $0.int(90...320) }
  }

  /// Moments of a value that a sensor or a server sends, at an even rate.
  mutating func samples(_ count: Int, every milliseconds: ClosedRange<Int>) -> [Duration] {
    let interval = random.int(milliseconds)
    return moments(count) { _ in interval }
  }

  /// Moments of a finger that drags: frames of 60 to 120 Hz, in strokes with pauses between them.
  mutating func drags(_ count: Int) -> [Duration] {
    let frame = random.one(of: [8_333, 11_111, 16_667])
    var moment = Duration.milliseconds(random.int(300...1_500))
    return (0..<count).map { index in
      let isNewStroke = index > 0 && index % 60 == 0
      moment += isNewStroke ? .milliseconds(random.int(400...1_500)) : .microseconds(frame)
      return moment
    }
  }

  /// A word that is typed letter by letter: all of its beginnings.
  mutating func typing(_ count: Int) -> [String] {
    var text = ""
    return (0..<count).map { _ in
      if text.count > random.int(4...12) { text = "" }
      text.append(random.one(of: Array("aeilnorstmd")))
      return text
    }
  }

  private mutating func moments(
    _ count: Int, apart milliseconds: (inout SplitMix64) -> Int
  ) -> [Duration] {
    var moment = Duration.milliseconds(random.int(300...1_500))
    return (0..<count).map { _ in
      moment += .milliseconds(milliseconds(&random))
      return moment
    }
  }
}
