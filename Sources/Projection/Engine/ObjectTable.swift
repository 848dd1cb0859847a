import EventLog

/// What a session keeps of the objects that it records: the ids that they get, those that are still to be defined in the
/// log or to be forgotten, and the names of a few.
struct ObjectTable {
  private var nextNumber: UInt64 = 1
  /// Objects that lie deep in the value that is being encoded.
  private var postponed: [(object: any RecordedObject, attachment: Attachment)] = []
  /// The definitions of such objects, to be recorded before the next event, which refers to them.
  private(set) var definitions: [ObjectDefinition] = []
  /// The objects that the app has released and that are still in the state.
  var departures = Departures()
  /// The paths of the objects that were named lately.
  var names = RecentNames()
  /// What the log has of objects that are not recorded, and of values that cannot be compared.
  var identities = ObjectIdentities()

  /// The id of a new object.
  ///
  /// - Parameter free: The first that no object of the state has.
  mutating func makeID(notBefore free: ObjectID) -> ObjectID {
    let id = ObjectID(max(nextNumber, free.number))
    nextNumber = id.next.number
    return id
  }

  /// Goes on after the objects of a log that is continued.
  mutating func goOn(from free: ObjectID) {
    nextNumber = free.number
    departures.firstNumber = free.number
  }

  /// Leaves an object to be encoded when what refers to it is.
  mutating func postpone(_ object: any RecordedObject, _ attachment: Attachment) {
    postponed.append((object, attachment))
  }

  /// The next object that was left to be encoded, which it is no longer.
  mutating func nextPostponed() -> (object: any RecordedObject, attachment: Attachment)? {
    postponed.popLast()
  }

  /// Adds a definition that the next event needs.
  mutating func define(_ definition: ObjectDefinition) { definitions.append(definition) }

  /// Whether the next event needs definitions before it.
  var hasDefinitions: Bool { !definitions.isEmpty }

  /// Takes these definitions.
  mutating func takeDefinitions() -> [ObjectDefinition] {
    defer { definitions = [] }
    return definitions
  }
}

/// The paths of a few objects, for as long as they are called so: of one object several properties are read in a row, and
/// what holds an object is often named next to it.
struct RecentNames {
  private struct Entry {
    let object: ObjectID
    let version: State.NameVersion
    let path: Path
  }

  private static let count: UInt64 = 16
  private var entries: [Entry?] = Array(repeating: nil, count: Int(Self.count))

  /// The path that was noted for an object, if its name has had that version then.
  func path(of object: ObjectID, _ version: State.NameVersion) -> Path? {
    guard let entry = entries[Int(object.number % Self.count)], entry.object == object,
      entry.version == version
    else { return nil }
    return entry.path
  }

  /// Notes a path that begins with a root: other names are given up without a change of the version.
  mutating func note(_ path: Path, of object: ObjectID, _ version: State.NameVersion) {
    entries[Int(object.number % Self.count)] = Entry(object: object, version: version, path: path)
  }
}
