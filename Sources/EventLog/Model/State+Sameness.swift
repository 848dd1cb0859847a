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
      guard offset >= 0, delete >= 0 else { return false }
      switch (value(at: path), insert) {
      case (.string(let text)?, .string(let inserted)):
        return text.utf8.dropFirst(offset).prefix(delete).elementsEqual(inserted.utf8)
      case (.array(let elements)?, .array(let inserted)):
        return elements.dropFirst(offset).prefix(delete).elementsEqual(inserted)
      default:
        return false
      }
    case .projection, .reads, .invalidate, .evaluate, .dispose, .begin, .end, .mark:
      return false
    }
  }
}
