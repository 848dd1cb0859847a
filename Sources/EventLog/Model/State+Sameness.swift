extension State {
  /// Whether applying this event now would leave every value as it is, judged by the values alone.
  ///
  /// A session judges by the app's own equality and says so in the event; this is for logs that leave it
  /// out. Cost: linear in the size of the values compared.
  public func wouldStaySame(_ body: Event.Body) -> Bool {
    switch body {
    case .set(let path, let value, _):
      guard case .place(let place, _) = resolve(path) else { return false }
      return self.value(at: place) == value
    case .remove(let path, _):
      return value(at: path) == nil
    case .splice(let path, let offset, let delete, let insert, _):
      switch (value(at: path), insert) {
      case (.string(let text)?, .string(let inserted)):
        return text.utf8.part(offset, delete)?.elementsEqual(inserted.utf8) ?? false
      case (.array(let elements)?, .array(let inserted)):
        return elements.part(offset, delete)?.elementsEqual(inserted) ?? false
      default:
        return false
      }
    case .projection, .reads, .invalidate, .evaluate, .dispose, .begin, .end, .mark:
      return false
    }
  }
}

extension Collection {
  /// So many elements from an offset on; nil where there are not as many. What a log says may be any number.
  fileprivate func part(_ offset: Int, _ count: Int) -> SubSequence? {
    guard offset >= 0, offset <= self.count, count >= 0, count <= self.count - offset else { return nil }
    return dropFirst(offset).prefix(count)
  }
}
