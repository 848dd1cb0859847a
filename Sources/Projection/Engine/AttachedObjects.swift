import EventLog

/// The session's data about recorded objects: the ids to assign, the objects still to be defined in the log
/// or to be removed, and the names of some.
struct AttachedObjects {
  private(set) var nextNumber: UInt64 = 1
  /// Objects deep within the value that is being encoded, which are encoded later.
  private var postponed: [(object: any RecordedObject, attachment: Attachment)] = []
  /// The definitions of such objects, to be recorded before the next event, which refers to them.
  private(set) var definitions: [ObjectDefinition] = []
  /// The objects that the app has released and that are still in the state.
  var departures = Departures()
  /// The paths of recently named objects.
  var names = RecentNames()
  /// The identities in the log of objects that are not recorded, and of values that cannot be compared.
  var identities = ObjectIdentities()

  /// The id of a new object.
  ///
  /// - Parameter free: The first id that no object of the state has.
  mutating func makeID(notBefore free: ObjectID) -> ObjectID {
    let id = ObjectID(max(nextNumber, free.number))
    nextNumber = id.next.number
    return id
  }

  /// Continues after the ids of a log that is continued.
  mutating func goOn(from free: ObjectID) {
    nextNumber = free.number
    departures.firstNumber = free.number
  }

  /// Postpones encoding an object until the value that refers to it is encoded.
  mutating func postpone(_ object: any RecordedObject, _ attachment: Attachment) {
    postponed.append((object, attachment))
  }

  /// Removes and returns the next postponed object.
  mutating func nextPostponed() -> (object: any RecordedObject, attachment: Attachment)? {
    postponed.popLast()
  }

  /// Adds a definition that must precede the next event.
  mutating func define(_ definition: ObjectDefinition) { definitions.append(definition) }

  /// Whether definitions must precede the next event.
  var hasDefinitions: Bool { mutating get { !definitions.isEmpty } }

  /// Removes and returns these definitions.
  mutating func popDefinitions() -> [ObjectDefinition] {
    defer { definitions = [] }
    return definitions
  }
}

/// A small cache of objects' paths. Several properties of one object are often read in a row, and the
/// object's holder is often named next.
struct RecentNames {
  private struct Entry {
    let object: ObjectID
    let version: State.NameVersion
    let path: Path
  }

  private static let count: UInt64 = 16
  private var entries: [Entry?] = Array(repeating: nil, count: Int(Self.count))

  /// The cached path of an object, if it was stored for this version of the object's name.
  func path(of object: ObjectID, _ version: State.NameVersion) -> Path? {
    guard let entry = entries[Int(object.number % Self.count)], entry.object == object,
      entry.version == version
    else { return nil }
    return entry.path
  }

  /// Stores a path that begins with a root. Other names can become wrong without a change of the version.
  mutating func insert(_ path: Path, of object: ObjectID, _ version: State.NameVersion) {
    entries[Int(object.number % Self.count)] = Entry(object: object, version: version, path: path)
  }
}
