/// Which events of a part concern certain places and projections.
///
/// It goes through the part twice. First it learns the places: a place has many names, and what happens to it under one
/// matters to those who know it by another. Then it tells.
struct CutFilter {
  private let patterns: [PathPattern]
  private let globs: [Glob]
  private var places: Set<Place> = []
  private var names: Set<ExactString> = []
  private var matches: [Path: Bool] = [:]

  init(_ cut: LogCut) {
    patterns = cut.paths
    globs = cut.projections.map { Glob($0) }
  }

  /// Takes in an event that is about to be applied to a state.
  mutating func learn(_ body: Event.Body, _ state: State) {
    switch body {
    case .set(let path, _, _), .splice(let path, _, _, _, _), .remove(let path, _):
      if matches(path) { add(path, state) }
    case .reads(let name, let paths):
      if isNamed(name) {
        for path in paths { add(path, state) }
      } else if globs.isEmpty, paths.contains(where: { matches($0) }) {
        names.insert(name)
      }
    default: break
    }
  }

  private mutating func add(_ path: Path, _ state: State) {
    guard case .place(var place, _) = state.resolve(path) else { return }
    // Elements move: where one is known by its offset, all of the array matters.
    let end = place.steps.firstIndex { if case .name = $0 { false } else { true } }
    place.steps.removeSubrange((end ?? place.steps.endIndex)...)
    places.insert(place)
  }

  private mutating func matches(_ path: Path) -> Bool {
    if let known = matches[path] { return known }
    let isMatch = patterns.contains { $0.matches(path) }
    // Enough for the paths of most logs, and a bound for the rest.
    if matches.count < 1 << 17 { matches[path] = isMatch }
    return isMatch
  }

  private func isNamed(_ projection: String) -> Bool {
    globs.contains { $0.matches(projection) || $0.matches(projection.projectionGroup) }
  }

  /// Whether a projection is kept.
  func keeps(projection name: String) -> Bool { names.contains(name) || isNamed(name) }

  /// Whether a write is kept, by what it did.
  mutating func keeps(_ body: Event.Body, _ effect: Effect) -> Bool {
    if effect.mayLeadElsewhere { return true }
    switch (body, effect) {
    case (.set(let path, _, _), _) where matches(path): return true
    case (.splice(let path, _, _, _, _), _) where matches(path): return true
    case (.remove(let path, _), _) where matches(path): return true
    case (_, .replaced(let place, _, _)), (_, .edited(let place, _, _)), (_, .spliced(let place, _, _, _)):
      return contains(place)
    default: return false
    }
  }

  /// Whether a place, or one that it lies in, is among those learned.
  private func contains(_ place: Place) -> Bool {
    var place = place
    while !place.steps.isEmpty {
      if places.contains(place) { return true }
      place.steps.removeLast()
    }
    return false
  }
}
