import EventLog

extension Engine {
  /// Records what was done to a property of an object, then runs whatever that made out of date.
  func record(_ edits: [Edit], of attachment: Attachment, property: Int) {
    record(of: attachment, property: property) { _ in edits }
  }

  /// Records edits that depend on the value recorded before.
  func record(of attachment: Attachment, property: Int, _ edits: (_ old: Value?) -> [Edit]) {
    lock.withLock {
      guard !isClosed else { return }
      let path = path(of: attachment, property: property)
      let name = attachment.properties[property].name
      var all = edits(core.state.objects[attachment.id]?.fields[name])
      if all.isEmpty { return }
      if attachment.properties[property].isRedacted {
        all = [Edit(kind: .set(.redacted), isSame: all.allSatisfy(\.isSame))]
      }
      mutate(path, all) { edit in
        guard case .index? = edit.components.first else { return }
        edit.components = core.state.namingElementsByID(edit.components, of: attachment.id, property: name)
      }
      if runsUnderWay > 0 { changesDuringRuns.append((lastMutation, attachment.places[property])) }
      notifyReceivers(of: attachment.places[property])
    }
    flush()
  }

  /// Records edits at a path, several of them as one transaction. Called under the lock.
  ///
  /// - Parameter name: Names the steps of an edit as the log should, right before it is recorded: those
  ///   before it may have moved what it edits.
  func mutate(_ path: Path, _ edits: [Edit], naming name: (inout Edit) -> Void = { _ in }) {
    let cause = currentCause
    if delivery == .manual, !isCollecting, !isFlushing, core.openTransactions == 0 {
      isCollecting = true
      begin(nil, cause: cause)
    }
    if edits.count > 1 { begin(nil, cause: cause) }
    for var edit in edits {
      name(&edit)
      do {
        try emitMutation(edit.body(at: path), cause: cause)
      } catch {
        report(.init(message: "not recorded: \(error)"))
      }
    }
    if edits.count > 1 { end(cause: cause) }
  }
}
