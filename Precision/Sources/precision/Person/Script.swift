/// Something that a person does, or that happens to the app.
struct Beat {
  let at: Duration
  let act: @MainActor () -> Void
}

/// What happens to a part of an app, in order of time.
struct Script {
  var beats: [Beat] = []

  mutating func add(at moment: Duration, _ act: @escaping @MainActor () -> Void) {
    beats.append(Beat(at: moment, act: act))
  }

  /// One sequence of events of several scripts. At one moment the earlier script comes first.
  static func merged(_ scripts: [Script]) -> [Beat] {
    scripts.flatMap(\.beats).enumerated()
      .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map(\.element)
  }
}
