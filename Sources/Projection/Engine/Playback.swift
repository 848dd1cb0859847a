import EventLog

/// What a session knows of the recordings that are applied to it. Guarded by the session's lock.
final class Playback {
  private struct Root {
    weak var object: (any RecordedObject)?
  }

  /// The objects here that stand for those of the recording. The session keeps them, so that an object that a
  /// recording removes and brings back is the same one.
  private var objects: [ObjectID: any RecordedObject] = [:]
  /// Whether callbacks are off.
  var isSilent = false
  /// The log that the session continues, if it does.
  var continued: Recording?
  private var roots: [ExactString: Root] = [:]
  /// The log that the numbers of `objects` are from.
  private var log: UInt64?

  /// Notes that an object was attached.
  func note(_ root: any RecordedObject, as name: String) { roots[name] = Root(object: root) }

  /// Gives a restorer the objects that are here.
  func begin(_ recording: Recording, _ restorer: ObjectRestorer) {
    objects = objects(of: recording)
    for (name, id) in restorer.state.roots {
      guard let root = roots[name]?.object else { continue }
      let recorded = restorer.migrated(id).type
      guard recorded.isEmpty || recorded == "\(type(of: root))" else {
        restorer.note(
          RestoreProblem(
            path: Path(root: .named(name)), recorded: recorded, expected: "\(type(of: root))",
            reason: "declare a migration, `.type`, or attach an object of this type"))
        continue
      }
      // Whichever object the recording has at a root, it is the one that is attached here.
      objects = objects.filter { $0.value !== root }
      objects[id] = root
    }
    for (id, object) in objects { restorer.use(object, for: id) }
  }

  /// The objects here that stand for those of a recording, by their numbers there.
  func objects(of recording: Recording) -> [ObjectID: any RecordedObject] {
    log == recording.reader.header.salt ? objects : [:]
  }

  func set(_ objects: [ObjectID: any RecordedObject], of recording: Recording) {
    self.objects = objects
    log = recording.reader.header.salt
  }

  /// Lets all objects go.
  func removeAll() {
    objects = [:]
    roots = [:]
    continued = nil
  }
}

extension Value {
  /// The objects that it refers to, in order.
  var references: [ObjectID] {
    switch self {
    case .reference(let id): [id]
    case .array(let elements): elements.flatMap(\.references)
    case .map(let fields): fields.values.flatMap(\.references)
    default: []
    }
  }
}
