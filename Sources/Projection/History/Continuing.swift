import EventLog
import Invalidation

extension Engine {
  /// Takes over the final state of the log that is continued, and ends the transactions and projections that
  /// are still open there.
  func resume(from fold: StateFold) {
    withLock { $0.resume(from: fold) }
  }

  /// Creates the objects of the log that the session continues, and attaches them; see
  /// ``Session/restore(_:root:)``.
  ///
  /// - Parameter isStrict: Whether to throw if any value does not fit.
  func restore<Model: RecordedObject>(
    _ type: Model.Type, root: String, by rules: RestoringRules, isStrict: Bool
  ) throws -> Restored<Model> {
    let restorer = withLock { state in
      let restorer = ObjectRestorer(state.core.state, rules)
      for (id, object) in state.playback.objects(ofLog: rules.log) { restorer.use(object, for: id) }
      return restorer
    }
    let object: Model
    do { object = try restorer.restore(type, root: root) } catch let problem as RestoreProblem {
      throw RestoreError(problems: [problem] + restorer.problems)
    }
    if isStrict, !restorer.problems.isEmpty { throw RestoreError(problems: restorer.problems) }
    attachRestored(by: restorer, ofLog: rules.log)
    withLock { $0.playback.insert(object, as: root) }
    return Restored(object: object, problems: restorer.problems)
  }

  /// Attaches the restored objects, and records how they differ from the log.
  private func attachRestored(by restorer: ObjectRestorer, ofLog log: UInt64) {
    let new = restorer.objects.filter { $0.value._$recorded.attachment?.engine !== self }
      .sorted { $0.key < $1.key }
    beginTransaction("restore", site: "\(#fileID):\(#line)")
    withLock { state in
      for (id, object) in new { state.attach(object, under: id) }
      _ = state.followAttached()
      state.playback.set(restorer.objects, ofLog: log)
    }
    for (id, object) in new { recordDifferences(of: object, id, restorer) }
    endTransaction()
    flushCollected()
  }

  /// Records the properties of an object that differ from the log, and the removal of those that its class
  /// does not have.
  private func recordDifferences(of object: any RecordedObject, _ id: ObjectID, _ restorer: ObjectRestorer) {
    guard let attachment = object._$recorded.attachment else { return }
    for (number, property) in attachment.properties.enumerated() where property.isRestorable {
      let recorder = DifferenceRecorder(self, attachment, number)
      _ = object._$read(property: number, into: recorder)
    }
    let known = Set(names: attachment.properties.map(\.name) + ["id"])
    let kept = restorer.migrated(id).fields
    // Properties that a migration renamed or removed are removed from the log. Other properties that the
    // class does not have stay.
    for (name, _) in restorer.state.objects[id]?.fields ?? [:]
    where !known.contains(name) && kept[name] == nil {
      withLock { state in
        let path = state.core.state.path(of: id).appending(.property(name))
        state.mutate(path, [Edit(kind: .remove)])
      }
    }
  }
}

extension EngineState {
  fileprivate func resume(from fold: StateFold) {
    core = InvalidationCore(fold.state)
    core.state.findsDuplicateIDs = true
    recorder.resume(after: fold.seq)
    countMutation(fold.seq, cause: nil)
    objects.goOn(from: core.state.freeObjectID)
    for _ in 0..<fold.openTransactions { recorder.emit(.end) }
    for event in fold.projectionEvents() {
      if case .projection(let name, _, _) = event { recorder.emit(.dispose(projection: name)) }
    }
  }

  /// Attaches an object with the id that it has in the log.
  fileprivate func attach(_ object: any RecordedObject, under id: ObjectID) {
    let properties = type(of: object)._$properties
    let attachment = Attachment(engine: engine, id: id, properties: properties)
    addRedactions(of: properties, attachment)
    object._$recorded.attach(attachment)
    addDeparted()
    objects.departures.insertAnother(id)
    markAttached(object._$recorded.link, id)
    for number in properties.indices { engine.bindCollection(of: object, attachment, property: number) }
  }
}

/// Records a property if it differs from the log.
private final class DifferenceRecorder: RecordedPropertyReader {
  private let engine: Engine
  private let attachment: Attachment
  private let property: Int

  init(_ engine: Engine, _ attachment: Attachment, _ property: Int) {
    self.engine = engine
    self.attachment = attachment
    self.property = property
  }

  func read<Member>(_ member: Member) {
    let value = engine.encode(member)
    let known = engine.recorded(attachment.properties[property].name, of: attachment.id)
    switch (known, value) {
    // An opaque value cannot be compared.
    case (.opaque(let a, _)?, .opaque(let b, _)) where a == b: return
    case (let known?, _) where known == value: return
    default: engine.recordSet(member, isSame: nil, of: attachment, property: property)
    }
  }
}
