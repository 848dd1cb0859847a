import EventLog

/// The session's state between calls that apply or restore recordings. Guarded by the session's lock.
final class Playback {
  private struct Root {
    weak var object: (any RecordedObject)?
  }

  /// The attached roots, by name.
  private var roots: [ExactString: Root] = [:]
  /// The session's objects for the objects of one log, by their ids there. They are retained, so that an
  /// object that a recording removes and brings back stays the same object.
  private var objects: [ObjectID: any RecordedObject] = [:]
  /// The salt of that log.
  private var log: UInt64?
  /// Whether callbacks are turned off.
  var isSilent = false
  /// For each path, the number of writes by runs since the last write without a cause, minus those that a
  /// drive has consumed. Nil unless a drive needs it. Callbacks are off then, so these runs are bodies.
  var writtenByRuns: [Path: Int]?

  /// Stores a root that was attached.
  func insert(_ root: any RecordedObject, as name: String) { roots[name] = Root(object: root) }

  /// Forgets a root that was detached.
  func remove(_ name: String) { roots[name] = nil }

  /// The attached root with a name, if it is still in memory.
  func root(_ name: String) -> (any RecordedObject)? { roots[name]?.object }

  /// The session's objects for the objects of the log with this salt, by their ids there.
  func objects(ofLog salt: UInt64) -> [ObjectID: any RecordedObject] { log == salt ? objects : [:] }

  /// Replaces these objects by the objects for the log with this salt.
  func set(_ objects: [ObjectID: any RecordedObject], ofLog salt: UInt64) {
    self.objects = objects
    log = salt
  }

  /// Counts a write by a run.
  func appendReaction(_ body: Event.Body) {
    if writtenByRuns != nil, let path = body.writtenPath {
      writtenByRuns?[path.withoutNumber, default: 0] += 1
    }
  }

  /// Removes a write by a run to a path; returns false if there is none left.
  func removeReaction(at path: Path) -> Bool {
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
  /// The path with the same number for all objects, because an object has different numbers in different runs
  /// of the program.
  fileprivate var withoutNumber: Path {
    guard case .object = root else { return self }
    return Path(root: .object(ObjectID(1)), components: components)
  }
}

extension Engine {
  /// Calls the app's code, unless callbacks are turned off while a recording is applied. Tasks that it starts have the cause
  /// of the current run.
  func callOut(_ body: () -> Void) {
    if !withLock({ $0.playback.isSilent }) { carrying(runCause, body) }
  }
}
