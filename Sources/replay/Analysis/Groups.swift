import EventLog

extension String {
  /// What instances of one projection have in common: `Row` for `Row#42`.
  var projectionGroup: String {
    guard let mark = utf8.firstIndex(of: 0x23), mark != startIndex else { return self }
    return String(self[..<mark])
  }
}

extension Path {
  /// The path with every index, key and id made `[*]`, and every object's number `#*`: what places of one kind
  /// have in common.
  var group: String {
    var text = ""
    switch root {
    case .object: text = "#*"
    case .named: text = Path(root: root).description
    }
    for component in components {
      switch component {
      case .index, .key, .id: text += "[*]"
      case .property, .count, .order, .exists: text += component.description
      }
    }
    return text
  }
}

/// Groups of paths, each computed once as long as there are not too many.
struct PathGroups {
  private var known: [Path: String] = [:]
  private static let knownMax = 1 << 16

  mutating func group(of path: Path) -> String {
    if let group = known[path] { return group }
    let group = path.group
    if known.count >= Self.knownMax { known.removeAll(keepingCapacity: true) }
    known[path] = group
    return group
  }
}

extension Event.Body {
  /// The place that the event writes, if it is a write.
  var writtenPath: Path? {
    switch self {
    case .set(let path, _, _), .splice(let path, _, _, _, _), .remove(let path, _): path
    default: nil
    }
  }
}
