/// A session as data: its events, line by line. The number of a line is its position, from 1.
struct Script {
  var lines: [Line] = []
}

struct Line {
  /// The number of the line that caused this one.
  var cause: Int?
  /// Which of the threads of code that ran at once made it.
  var strand = 0
  var body: Body

  /// The strand of the session's own transactions, which collect what all strands write.
  static let session = 1

  enum Body {
    /// `same` is the flag `same_value`; if it is nil, the values decide.
    case set(Route, Plain, same: Bool?)
    case splice(Route, offset: Int, delete: Int, insert: Plain, same: Bool?)
    case remove(Route, same: Bool?)
    case projection(String, parent: String?, Tracker)
    case reads(String, [Route])
    /// The added reads, and the dropped ones; routes are bound according to the state at the line.
    case change(String, added: [Route], dropped: [Route])
    case evaluate(String)
    case dispose(String)
    case invalidate(String, [Int])
    case begin
    case end
    case mark(String)
  }
}

enum Tracker: String, CaseIterable {
  case element, property, object
}

/// A path: a root's name, or an object's number written `#5`, and the steps from there.
struct Route {
  var root: String
  var steps: [Step]

  /// The object that the route starts from, if it starts from an object by number.
  var number: Int? { root.hasPrefix("#") ? Int(root.dropFirst()) : nil }
}

enum Step: Equatable {
  case property(String)
  case key(String)
  case index(Int)
  case id(Plain)
  case count, order, exists

  var isAspect: Bool { self == .count || self == .order || self == .exists }

  /// The member's name, in either spelling.
  var name: String? {
    switch self {
    case .property(let name), .key(let name): name
    default: nil
    }
  }
}

extension Line {
  /// The line with another body.
  func with(_ body: Body) -> Line {
    var line = self
    line.body = body
    return line
  }
}

extension Line.Body {
  /// The flag `same_value`, where the line has it.
  var same: Bool? {
    switch self {
    case .set(_, _, let same), .splice(_, _, _, _, let same), .remove(_, let same): same
    default: nil
    }
  }
}
