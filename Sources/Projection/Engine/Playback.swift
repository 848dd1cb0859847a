import EventLog

/// What a session keeps between calls that apply or restore recordings. Guarded by the session's lock.
final class Playback {
  private struct Root {
    weak var object: (any RecordedObject)?
  }

  /// The attached roots, by name.
  private var roots: [ExactString: Root] = [:]
  /// The session's objects for those of one log, by their ids there. They are retained, so that an object that a recording
  /// removes and brings back is the same one.
  private var objects: [ObjectID: any RecordedObject] = [:]
  /// The salt of that log.
  private var log: UInt64?
  /// Whether callbacks are off.
  var isSilent = false
  /// How often runs have written to each path since a write that nothing caused, less what a drive has taken; nil while no drive
  /// asks. Callbacks are off then, so these are bodies.
  var writtenByRuns: [Path: Int]?

  /// Notes that a root was attached.
  func note(_ root: any RecordedObject, as name: String) { roots[name] = Root(object: root) }

  /// The attached root of a name, if it is still in memory.
  func root(_ name: String) -> (any RecordedObject)? { roots[name]?.object }

  /// The session's objects for those of the log with a salt, by their ids there.
  func objects(ofLog salt: UInt64) -> [ObjectID: any RecordedObject] { log == salt ? objects : [:] }

  /// Replaces the objects by those for the log with a salt.
  func set(_ objects: [ObjectID: any RecordedObject], ofLog salt: UInt64) {
    self.objects = objects
    log = salt
  }

  /// Notes a write of a run.
  func noteReaction(_ body: Event.Body) {
    if writtenByRuns != nil, let path = body.writtenPath {
      writtenByRuns?[path.withoutNumber, default: 0] += 1
    }
  }

  /// Takes a write of a run to a path; false if there is none left.
  func takeReaction(at path: Path) -> Bool {
    let path = path.withoutNumber
    guard let count = writtenByRuns?[path] else { return false }
    writtenByRuns?[path] = count > 1 ? count - 1 : nil
    return true
  }

  /// Releases all objects.
  func removeAll() {
    objects = [:]
    roots = [:]
  }
}

extension Path {
  /// The same with one number for all objects: that of an object is another in another run.
  fileprivate var withoutNumber: Path {
    guard case .object = root else { return self }
    return Path(root: .object(ObjectID(1)), components: components)
  }
}

extension Engine {
  /// Calls the app's code, unless callbacks are off while a recording is applied.
  func callOut(_ body: () -> Void) {
    if !withLock({ $0.playback.isSilent }) { body() }
  }
}
