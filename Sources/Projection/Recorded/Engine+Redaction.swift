import EventLog

// What a session does so that its log says no more of a redacted value than the app has allowed. Such a value must not
// show in what is written, and neither in what else is written because of it.

extension Engine {
  /// What the log holds of a value of a property.
  func encode<T>(_ value: T, of attachment: Attachment, property: Int) -> Value {
    guard attachment.properties[property].isRedacted else { return encode(value) }
    return encode(value, attachment.properties[property].redaction)
  }

  /// What the log holds of a value that is subject to a redaction.
  func encode<T>(_ value: T, _ redaction: Redaction?) -> Value {
    switch redaction {
    case nil: encode(value)
    case .hidden: .redacted
    case .hashed: hashed(value)
    }
  }

  /// The one edit that stands for all of a redacted property. Of a hidden one nobody can tell whether it changed, so
  /// it did. Called under the lock.
  func veiled(_ edits: [Edit], of property: RecordedPropertyDescriptor) -> [Edit] {
    guard property.redaction == .hashed, edits.count == 1, edits[0].components.isEmpty,
      case .set(let value) = edits[0].kind
    else { return [Edit(kind: .set(.redacted))] }
    // A scalar comes as it is, everything else is hashed already.
    if case .opaque(Veil.typeName, _) = value { return edits }
    return [Edit(kind: .set(veil.hashed(encoded: value)), isSame: edits[0].isSame)]
  }

  /// Notes the redacted properties of an object that is being attached. Called under the lock.
  func noteRedacted(_ properties: [RecordedPropertyDescriptor], at places: [PathTable.ID]) {
    for (property, place) in zip(properties, places) {
      redactedPlaces[place] = property.redaction
    }
  }

  /// The strictest redaction among what a derived value's run has read, to which what it publishes is subject as well:
  /// it may be the secret itself.
  func redaction(of frame: Frame, publishedBy node: Node) -> Redaction? {
    lock.withLock {
      let redaction = redaction(ofRun: frame)
      if let derived = node.derived, !redactedPlaces.isEmpty || redaction != nil {
        redactedPlaces[derived.place] = redaction
      }
      return redaction
    }
  }

  /// The strictest redaction among what a run has read. Called under the lock.
  func redaction(ofRun frame: Frame) -> Redaction? {
    var result: Redaction?
    for read in frame.earlyReads.values {
      guard let redaction = read.redaction else { continue }
      if redaction == .hidden { return .hidden }
      result = redaction
    }
    if redactedPlaces.isEmpty { return result }
    for place in frame.reads.places {
      guard let redaction = redactedPlaces[self.places.property(of: place)] else { continue }
      if redaction == .hidden { return .hidden }
      result = redaction
    }
    return result
  }
}
