import Algorithms
import EventLog

/// One change within a property, with its path relative to the property.
struct Edit: Sendable {
  enum Kind: Sendable {
    case set(Value)
    case splice(offset: Int, delete: Int, insert: Value)
    case remove

    /// What is set or inserted.
    var value: Value? {
      switch self {
      case .set(let value), .splice(_, _, let value): value
      case .remove: nil
      }
    }
  }

  /// The steps from the property to the slot; empty for the property itself.
  var components: [PathComponent] = []
  var kind: Kind
  /// Whether nothing changed by the app's own equality; nil to compare the recorded values.
  var isSame: Bool? = false
  /// The type of the value, if it was mutated in place and so any part of it may have been written; nil if all of
  /// it was.
  var mutated: (Any.Type)?

  /// The edit that records a set of a value to itself, without repeating a long value.
  static func untouched(_ value: Value) -> Edit {
    switch value {
    case .string(let text) where text.utf8.count > 64:
      Edit(kind: .splice(offset: 0, delete: 0, insert: .string("")), isSame: true)
    case .array: Edit(kind: .splice(offset: 0, delete: 0, insert: .array([])), isSame: true)
    default: Edit(kind: .set(value), isSame: true)
    }
  }

  /// The replacement of a range of an array by other elements.
  static func splice(_ range: Range<Int>, _ elements: [Value]) -> Edit {
    Edit(kind: .splice(offset: range.lowerBound, delete: range.count, insert: .array(elements)))
  }

  /// This edit of a part as an edit of the value that contains it; `component` leads from there to the part.
  func within(_ component: PathComponent) -> Edit {
    var edit = self
    edit.components.insert(component, at: 0)
    return edit
  }

  /// The event that records the edit of a property at a path.
  func body(at property: Path) -> Event.Body {
    var path = property
    if !components.isEmpty { path.components += components }
    let sameValue = isSame ?? false
    return switch kind {
    case .set(let value): .set(path, value, sameValue: sameValue)
    case .splice(let offset, let delete, let insert):
      .splice(path, offset: offset, delete: delete, insert: insert, sameValue: sameValue)
    case .remove: .remove(path, sameValue: sameValue)
    }
  }
}

// MARK: Many parts

extension Edit {
  /// The most parts of a value that each get an event, which names their fields. It is also the most elements between
  /// two that differ which a splice repeats.
  ///
  /// 16,000 events for the next samples of a series tell less than one event, and take as long as a frame.
  static let singlesMax = 16

  /// Whether so many parts differ that all are recorded as a whole: most of many, or all of a few. Two are less than
  /// a few.
  static func isWhole(_ different: Int, of count: Int) -> Bool {
    different > singlesMax && 2 * different > count || different > 2 && different >= count
  }

  /// The edits of an array of which elements at some indices, ascending, were changed in place: splices if they are
  /// many.
  ///
  /// - Parameters:
  ///   - values: The elements as they are now.
  ///   - old: Returns the element that was at an index. Elements between those indices have not changed.
  static func inPlace(at indices: [Int], to values: [Value], from old: (Int) -> Value) -> [Edit] {
    func single(_ position: Int) -> [Edit] {
      ValueDiff.elementEdits(old(indices[position]), values[position], at: indices[position])
    }
    if indices.count <= singlesMax { return indices.indices.flatMap(single) }
    // Nothing lies between them, as when a series is replaced.
    if let first = indices.first, let last = indices.last, last - first < indices.count {
      return [.splice(first..<(last + 1), values)]
    }
    return indices.indices.chunked { indices[$1] - indices[$0] <= singlesMax }.flatMap { run -> [Edit] in
      if run.count == 1 { return single(run.lowerBound) }
      let range = indices[run.lowerBound]..<(indices[run.upperBound - 1] + 1)
      if range.count == run.count { return [.splice(range, Array(values[run]))] }
      var elements = range.map(old)
      for position in run { elements[indices[position] - range.lowerBound] = values[position] }
      return [.splice(range, elements)]
    }
  }
}
