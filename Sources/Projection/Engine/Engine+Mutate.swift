import EventLog

extension Engine {
  /// Records what was done to a property of an object, then runs what is out of date because of it.
  ///
  /// - Parameter edits: Returns the edits for the value recorded before.
  func record(of attachment: Attachment, property: Int, _ edits: (_ old: Value?) -> [Edit]) {
    lock.withLock {
      guard !isClosed else { return }
      settle()
      attachment.countRecording()
      let path = path(of: attachment, property: property)
      let name = attachment.properties[property].name
      var all = edits(core.state.objects[attachment.id]?.fields[name])
      if all.isEmpty { return }
      if attachment.properties[property].isRedacted {
        all = veiled(all, of: attachment.properties[property])
      }
      let refused = refusedCount
      let isChange = mutate(path, all) { edit in
        narrow(&edit, of: attachment.id, property: name)
        guard case .index? = edit.components.first else { return }
        edit.components = core.state.namingElementsByID(edit.components, of: attachment.id, property: name)
      }
      if refusedCount != refused { attachment.isBehind = true }
      if runsUnderWay > 0 {
        changesDuringRuns.append((lastMutation, attachment.places[property], !isChange))
      }
      notifyReceivers(of: attachment.places[property])
    }
    flush()
  }

  /// An element or entry that differs from the one before in one place only is recorded as that edit; where the
  /// app was not asked it is found out here whether it differs at all.
  private func narrow(_ edit: inout Edit, of object: ObjectID, property: String) {
    guard case .set(let new) = edit.kind, edit.isSame != true, !edit.components.isEmpty,
      new.isContainer || edit.isSame == nil,
      case .place(let place, _) = core.state.resolve([.property(property)] + edit.components[...], in: object),
      let old = core.state.value(at: place)
    else { return }
    let parts = ValueDiff.edits(from: old, to: new, prefersEdits: true)
    if edit.isSame == nil { edit.isSame = parts.isEmpty }
    guard parts.count == 1 else { return }
    edit.components += parts[0].components
    edit.kind = parts[0].kind
  }

  /// Records edits at a path, several of them as one transaction. Called under the lock.
  ///
  /// - Parameter name: Names the steps of an edit as the log should, right before it is recorded: those
  ///   before it may have moved what it edits.
  /// - Returns: Whether any of them changed something.
  @discardableResult
  func mutate(_ path: Path, _ edits: [Edit], naming name: (inout Edit) -> Void = { _ in }) -> Bool {
    let cause = currentCause
    collect(cause: cause)
    noteCollected()
    if edits.count > 1 { begin(nil, cause: cause) }
    var isChange = false
    for var edit in edits {
      name(&edit)
      if edit.isSame != true { isChange = true }
      do {
        try emitMutation(edit.body(at: path), cause: cause)
      } catch {
        refusedCount += 1
        report(.init(message: "not recorded: \(error)"))
      }
    }
    if edits.count > 1 { end(cause: cause) }
    return isChange
  }
}

extension Value {
  /// Whether it can differ from another in a part only.
  fileprivate var isContainer: Bool {
    switch self {
    case .map, .array, .string: true
    default: false
    }
  }
}
