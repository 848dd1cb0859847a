/// Suggests the name that was probably meant.
package enum Suggestion {
  /// The candidate nearest to a name; nil if none is near.
  static func nearest(to name: String, among candidates: some Sequence<String>) -> String? {
    nearest(to: name, within: max(2, name.count / 3), among: candidates)
  }

  private static func nearest(
    to name: String, within limit: Int, among candidates: some Sequence<String>
  ) -> String? {
    let letters = Array(name.lowercased())
    var best: (name: String, distance: Int)?
    for candidate in candidates where candidate != name {
      let others = Array(candidate.lowercased())
      var distance = distance(letters, others, limit: best?.distance ?? limit + 1)
      // Someone who types the beginning of a name means it, unless another candidate is nearer.
      if letters.count >= 3, others.starts(with: letters) { distance = min(distance, limit) }
      if distance < best?.distance ?? limit + 1 { best = (candidate, distance) }
    }
    return best?.name
  }

  /// `; did you mean Row?`, or an empty text if no candidate is near.
  package static func text(for name: String, among candidates: some Sequence<String>) -> String {
    text(nearest(to: name, among: candidates))
  }

  /// The same for a candidate that was found before.
  package static func text(_ nearest: String?) -> String { nearest.map { "; did you mean \($0)?" } ?? "" }

  /// The same for a file among the others of its folder: what the folder and the extension have in common makes no two
  /// names alike.
  package static func text(forFile path: String, among candidates: some Sequence<String>) -> String {
    let name = path.split(separator: "/").last ?? ""
    let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
    return text(nearest(to: path, within: max(2, stem.count / 3), among: candidates))
  }

  /// How many letters must be added, removed or replaced; at least `limit` when that many or more.
  private static func distance(_ a: [Character], _ b: [Character], limit: Int) -> Int {
    if abs(a.count - b.count) >= limit { return limit }
    var row = Array(0...b.count)
    for (i, letter) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in b.enumerated() {
        let replaced = diagonal + (letter == other ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(replaced, row[j] + 1, diagonal + 1)
      }
    }
    return min(row[b.count], limit)
  }
}
