/// What a line that has begun may go on with.
struct Completions: Equatable {
  /// How many characters before the cursor have been typed of it.
  var typed: Int
  /// The whole words.
  var candidates: [String]
}

protocol LineCompletion {
  /// - Parameter head: The line up to the cursor.
  func completions(of head: String) -> Completions
}

extension Completions {
  /// What all candidates begin with.
  var commonStart: String {
    guard var common = candidates.first.map({ Array($0) }) else { return "" }
    for candidate in candidates.dropFirst() {
      common = zip(common, candidate).prefix { $0 == $1 }.map(\.0)
    }
    return String(common)
  }
}
