/// What the app's state was after some event: named roots, and the objects they lead to.
///
/// It is the fold of a log: start empty, ``apply(_:)`` every event in order. Values hold references to
/// objects, never objects, so shared objects and cycles need no special care.
public struct State: Sendable {
  /// An object: its type's name, its properties, and where it was last seen.
  public struct Object: Sendable {
    /// The name of its type, or empty when the log does not say.
    public var type: String
    /// Its properties, in order of first appearance.
    public internal(set) var fields: NamedValues<Value>
    private var compactHome: Home
    /// The event that said so.
    var homeEvent: UInt64 = 0

    init(type: String, fields: NamedValues<Value>, home: Place?, homeEvent: UInt64) {
      self.type = type
      self.fields = fields
      compactHome = Home(home)
      self.homeEvent = homeEvent
    }

    /// The place that holds it, by which it is named; nil when it was only ever named by its number.
    var home: Place? {
      get { compactHome.place }
      set { compactHome = Home(newValue) }
    }
  }

  /// The attached roots in order of attachment.
  public internal(set) var roots: NamedValues<ObjectID> = [:]
  /// Every object that the log has defined, reachable or not.
  public internal(set) var objects: [ObjectID: Object] = [:]
  /// Grows whenever a reference may have moved, so that whoever caches names of objects can tell.
  package internal(set) var shapeVersion: UInt64 = 0 {
    didSet { routeVersion &+= 1 }
  }
  /// Grows whenever a path may lead to another place, which is more often.
  package internal(set) var routeVersion: UInt64 = 0
  /// The objects that the last event defined.
  package internal(set) var newObjects: [ObjectID] = []

  var nextObjectNumber: UInt64 = 1
  /// The names of the fields of the last object of each type, with no values.
  var layouts: [ExactString: NamedValues<Value>] = [:]
  /// How many events were applied.
  var eventCount: UInt64 = 0
  var identityIndexes: [ArrayProperty: IdentityIndex<Value>] = [:]
  /// Whether to look for ids that more than one element has; a reader of logs has nobody to tell.
  package var findsDuplicateIDs = false
  /// The ids found so far.
  package internal(set) var duplicateIDs: Set<DuplicateID> = []

  /// Creates the state before the first event.
  public init() {}

  /// The value at a place, or nil where there is none. Cost: linear in the depth of the path.
  public func value(at path: Path) -> Value? {
    switch resolve(path) {
    case .place(let place, _): value(at: place)
    case .missing(_, _, let rest): rest.last == .exists ? .bool(false) : nil
    }
  }

  /// The number after the highest so far. The last number there is may be taken.
  package var freeObjectID: ObjectID { ObjectID(nextObjectNumber) }
}
