import EventLog

// Drives a write of a recording in a session. The value in the app's object is changed without running the
// class's own observers, since the recording contains their writes. Then the session records the same edit in
// the ordinary way, and runs the projections that are out of date because of it.

extension Engine {
  /// Applies a recorded edit to a property of an object, and runs the projections that are out of date
  /// because of it.
  ///
  /// - Throws: ``Misfit`` or ``RestoreProblem`` if the edit does not fit; nothing has changed then.
  func drive(_ edit: DrivenEdit, of object: any RecordedObject, property: Int, at place: DrivenPlace) throws {
    guard let attachment = object._$recorded.attachment, attachment.engine === self else {
      throw Misfit("the session does not record the object any more")
    }
    // What follows from other properties of a followed object has changed with these, and the session has recorded that.
    if object is FollowedObject, attachment.properties[property].isConstant { return }
    defer { if object is FollowedObject { lookAtOwn(continuing: true) } }
    let writer = DrivenWriter(self, attachment, property, edit, place)
    func visit() -> Bool { object._$visit(property: property, by: writer) }
    if !(object is FollowedObject ? settingFollowed(visit) : visit()) {
      throw Misfit("\(attachment.properties[property].name) is a constant here; make it a variable")
    }
    if let error = writer.error { throw error }
  }
}

/// Drives an edit of a property.
private final class DrivenWriter: RecordedPropertyVisitor {
  private let engine: Engine
  private let attachment: Attachment
  private let property: Int
  private let edit: DrivenEdit
  private let place: DrivenPlace
  private(set) var error: (any Error)?

  init(
    _ engine: Engine, _ attachment: Attachment, _ property: Int, _ edit: DrivenEdit, _ place: DrivenPlace
  ) {
    self.engine = engine
    self.attachment = attachment
    self.property = property
    self.edit = edit
    self.place = place
  }

  func visit<Subject: RecordedObject, Member>(_ subject: Subject, _ keyPath: KeyPath<Subject, Member>) {
    if !attachment.properties[property].isRestorable { return recordAsIs(subject, keyPath) }
    do {
      // Releases the old value before the write, which would otherwise copy it.
      let change: DrivenChange<Member> = try Frame.untracked {
        let reader = Reader<Member>()
        guard subject._$read(property: property, into: reader), let value = reader.value.take() else {
          throw Misfit("it is not in this build")
        }
        return try place.change(of: value, by: edit)
      }
      let isSame = isSame(change)
      let registrar = subject._$recorded
      if !isSame { registrar.notifyBefore(subject, keyPath) }
      _ = subject._$write(property: property, from: PropertyEdit(change.apply))
      if !isSame { registrar.notifyAfter(subject, keyPath) }
      if edit.steps.isEmpty { engine.bindCollection(of: subject, attachment, property: property) }
      record(change.kind, isSame: isSame, depth: change.depth)
    } catch {
      self.error = error
    }
  }

  /// Whether the set changes nothing. The app's own equality decides; but if the recorded session found no
  /// change, and this session began from the same value, there is none here either.
  private func isSame<Member>(_ change: DrivenChange<Member>) -> Bool {
    let isSame =
      switch change.kind {
      case .set(let new): change.isSame ?? (place.recorded(at: edit.steps) == new)
      default: change.isSame ?? false
      }
    if isSame || !edit.isSame { return isSame }
    return place.recorded(at: edit.steps) == place.before.map(place.withSessionIDs)
  }

  /// - Parameter depth: The number of the edit's steps at which to record it; nil for all.
  private func record(_ kind: Edit.Kind, isSame: Bool, depth: Int?) {
    let components = depth.map { Array(edit.components.prefix($0)) } ?? edit.components
    if components.isEmpty, case .set(let value) = kind, value.isScalar {
      engine.set(value, isSame: isSame, of: attachment, property: property)
    } else if case .set(let value) = kind, value.isScalar, !isSame, components.allSatisfy(\.isField) {
      engine.setPartAndUnlock(engine.lock(), value, at: components, of: attachment, property: property)
    } else {
      let edit = Edit(components: components, kind: kind, isSame: isSame)
      engine.record(of: attachment, property: property) { _ in [edit] }
    }
  }

  /// Sets a redacted property to its current value, since the recording contains its sets but not its values.
  private func recordAsIs<Subject: RecordedObject, Member>(
    _ subject: Subject, _ keyPath: KeyPath<Subject, Member>
  ) {
    let reader = Reader<Member>()
    guard subject._$read(property: property, into: reader), let value = reader.value.take() else { return }
    let registrar = subject._$recorded
    if !edit.isSame {
      registrar.notifyBefore(subject, keyPath)
      registrar.notifyAfter(subject, keyPath)
    }
    engine.recordSet(value, isSame: edit.isSame, of: attachment, property: property)
  }
}

extension PathComponent {
  /// Whether it leads to a field of a struct.
  fileprivate var isField: Bool { if case .property = self { true } else { false } }
}

private final class Reader<Value>: RecordedPropertyReader {
  var value: Value?

  func read<Member>(_ value: Member) { self.value = value as? Value }
}

final class PropertyEdit<Value>: RecordedPropertyWriter {
  private let apply: (inout Value) -> Void

  init(_ apply: @escaping (inout Value) -> Void) { self.apply = apply }

  func write<Member>(_ storage: inout Member) {
    if let same = self as? PropertyEdit<Member> { same.apply(&storage) }
  }
}
