/// Paths of one form: `store.rows[*].count`, `**.isLoading`, `app.episodes["a*"].**`.
///
/// `*` stands for any characters inside one name or quoted key, and alone for any one name or key; `**`
/// for any number of steps, none included; `[*]` for any element by offset, key or id; `[id: *]` for any
/// element by id; `[#*]` for any aspect. A pattern fits a path as a whole: `store.rows` is not
/// `store.rows[0]`, `store.rows.**` is both. A name fits a key, because on a map they are one place.
public struct PathPattern: Hashable, Sendable, CustomStringConvertible {
  /// The pattern as it was written.
  public let description: String
  private let steps: [Step]

  enum Step: Hashable, Sendable {
    case anyDepth
    case name(Glob)
    case element
    case index(Int)
    case anyID
    case id(Value)
    case idText(Glob)
    case aspect(PathComponent)
    case anyAspect
    case anyObject
    case object(ObjectID)
  }

  /// Reads a pattern.
  ///
  /// - Throws: ``TextError`` with the column.
  public init(parsing text: String) throws(TextError) {
    var cursor = ByteCursor(Array(text.utf8))
    description = text
    steps = try cursor.parsePattern()
  }

  /// Whether the path as a whole is of this form. Cost: at worst the product of the two depths.
  public func matches(_ path: Path) -> Bool {
    var step = 0
    var place = 0
    // Where to resume when what follows the last `**` does not fit: one step of the path further.
    var resume: (step: Int, place: Int)?
    let count = path.components.count + 1
    while place < count {
      if step < steps.count, steps[step] == .anyDepth {
        resume = (step + 1, place)
        step += 1
      } else if step < steps.count, matches(steps[step], path, place) {
        step += 1
        place += 1
      } else if let last = resume {
        resume = (last.step, last.place + 1)
        step = last.step
        place = last.place + 1
      } else {
        return false
      }
    }
    return steps[step...].allSatisfy { $0 == .anyDepth }
  }

  private func matches(_ step: Step, _ path: Path, _ place: Int) -> Bool {
    if place > 0 { return step.matches(path.components[place - 1]) }
    return step.matches(path.root)
  }
}

extension PathPattern.Step {
  func matches(_ root: Path.Root) -> Bool {
    switch (self, root) {
    case (.name(let glob), .named(let name)): glob.matches(name)
    case (.anyObject, .object): true
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }

  func matches(_ component: PathComponent) -> Bool {
    switch (self, component) {
    case (.name(let glob), .property(let name)), (.name(let glob), .key(let name)): glob.matches(name)
    case (.element, .index), (.element, .key), (.element, .id): true
    case (.index(let a), .index(let b)): a == b
    case (.anyID, .id): true
    case (.id(let a), .id(let b)): a == b
    case (.idText(let glob), .id(.string(let text))): glob.matches(text)
    case (.anyAspect, _): component.isAspect
    case (.aspect(let a), _): a == component
    default: false
    }
  }
}
