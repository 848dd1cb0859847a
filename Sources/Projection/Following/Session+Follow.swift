import EventLog
import Observation

extension Session {
  /// Records an object whose class one does not own: any that is `@Observable`, a SwiftData `@Model` among them.
  ///
  ///     session.follow(player, as: "player", properties: \.time, \.title, \.queue)
  ///
  /// The named properties are in the log as those of a recorded object, at `player.time`. What runs in the session and reads them depends
  /// on them, as do `recorded` views: the standard library tells. Nothing changes for the object, which is held weakly; its end is in the
  /// log.
  ///
  /// On Linux, and with Swift 6.4 or later, each set is recorded when it is made, with its cause, thread and call stack, and what depends
  /// on it runs then, as after a set of a recorded property. What the setter drops is not told: if the type is `Equatable`, a set to an equal value. A computed
  /// property is recorded after what it is computed from.
  ///
  /// On Apple's systems, with an earlier Swift, the standard library tells of a change once, before it is made. There the new value is
  /// recorded at the next turn of the object's actor, or when ``flush(isolation:)`` or ``close(isolation:)`` is called on its thread, and what
  /// depends on it runs after that. Lost are all but the last of several sets within one turn, their order and their call stacks.
  ///
  /// A child that runs within its parent's run makes the parent depend on what it reads, as nested observations do.
  ///
  /// Cost: the values once; then for each set two calls by the standard library, a comparison and an event, without a new observation
  /// for a stored property. Each run of a projection in the session is observed, which takes some two microseconds.
  ///
  /// - Parameters:
  ///   - object: An object that this session does not follow yet.
  ///   - name: The name of the root in the log.
  ///   - properties: What to record. A path of several steps is one property.
  ///   - isolation: The actor that the object belongs to. Where changes wait for a turn, an object of no actor is recorded when
  ///     ``flush(isolation:)`` is called on the thread that changes it.
  /// - Returns: A handle, which need not be kept.
  @discardableResult
  public func follow<Object: AnyObject & Observable, each Member>(
    _ object: Object, as name: String, properties: repeat KeyPath<Object, each Member>,
    isolation: isolated (any Actor)? = #isolation
  ) -> Followed<Object> {
    let followed = engine.makeFollowed(
      object, as: name, observableProperties(at: repeat each properties), isPublished: false,
      isolation: isolation)
    engine.follow(followed)
    return Followed(object, followed)
  }

  /// Records an object with all its stored properties that are observed.
  ///
  ///     session.follow(player, as: "player")
  ///
  /// Their names are those that reflection has. A key path, by which a property's sets are told, is not to be had before something reads
  /// the property: when a projection first does, it is followed as if it had been named. Until then its value is
  /// compared at each ``flush(isolation:)`` and at ``close(isolation:)``, and a diagnostic names it if it has changed.
  /// Name properties that nothing reads, and computed ones.
  ///
  /// A class that is not made by `@Observable`, as a SwiftData `@Model`, keeps its properties elsewhere: nothing of it is found, which a diagnostic says.
  /// Where the standard library does not show what is read, as on Apple's systems, all are only compared.
  ///
  /// Cost: as above; some microseconds for each flush as long as some key paths are not known, and some milliseconds to find the name
  /// of the first.
  ///
  /// - Parameters:
  ///   - object: An object that this session does not follow yet.
  ///   - name: The name of the root in the log.
  ///   - isolation: The actor that the object belongs to, as above.
  /// - Returns: A handle, which need not be kept.
  @discardableResult
  public func follow<Object: AnyObject & Observable>(
    _ object: Object, as name: String, isolation: isolated (any Actor)? = #isolation
  ) -> Followed<Object> {
    let properties = NamedProperty.all(of: object)
    let followed = engine.makeFollowed(object, as: name, properties, isPublished: false, isolation: isolation)
    engine.followUnnamed(followed, object)
    return Followed(object, followed)
  }

  /// Records an object that announces its changes by itself, such as one that publishes them.
  ///
  ///     session.follow(legacy, as: "legacy", properties: \.count) { notice in
  ///       legacy.objectWillChange.sink { notice() }
  ///     }
  ///
  /// Which property changes is found out by comparison, and nobody tells who reads it: what reads it through the handle
  /// (`followed.count`) depends on it.
  ///
  /// - Parameters:
  ///   - object: An object that this session does not follow yet.
  ///   - name: The name of the root in the log.
  ///   - properties: What to record. A path of several steps is one property.
  ///   - isolation: The actor that the object belongs to, as above.
  ///   - subscribe: Makes the object call `notice` before or after each of its changes. The result is kept as long as the
  ///     object is followed.
  /// - Returns: A handle, through which projections read the object.
  @discardableResult
  public func follow<Object: AnyObject, each Member>(
    _ object: Object, as name: String, properties: repeat KeyPath<Object, each Member>,
    isolation: isolated (any Actor)? = #isolation,
    notifiedBy subscribe: (_ notice: @escaping @Sendable () -> Void) -> Any
  ) -> Followed<Object> {
    let followed = engine.makeFollowed(
      object, as: name, publishedProperties(at: repeat each properties), isPublished: true,
      isolation: isolation)
    withoutActuallyEscaping(subscribe) { engine.follow(followed, publishedBy: $0) }
    return Followed(object, followed)
  }
}

#if canImport(Combine)
  import Combine

  extension Session {
    /// Records an `ObservableObject`, which publishes its changes.
    ///
    /// - Returns: A handle, through which projections read the object.
    @discardableResult
    public func follow<Object: ObservableObject, each Member>(
      _ object: Object, as name: String, properties: repeat KeyPath<Object, each Member>,
      isolation: isolated (any Actor)? = #isolation
    ) -> Followed<Object> {
      follow(object, as: name, properties: repeat each properties, isolation: isolation) { notice in
        object.objectWillChange.sink { _ in notice() }
      }
    }
  }
#endif

/// An object that a session follows; see ``Session/follow(_:as:properties:isolation:)``. Releasing the handle ends nothing;
/// keeping it keeps the object.
@dynamicMemberLookup
public struct Followed<Object: AnyObject> {
  /// The object.
  public let object: Object
  private let followed: FollowedObject

  init(_ object: Object, _ followed: FollowedObject) { (self.object, self.followed) = (object, followed) }

  /// A property of the object. A projection that reads a followed one here depends on it, whether the object tells it or not.
  public subscript<Member>(dynamicMember keyPath: KeyPath<Object, Member>) -> Member {
    if !followed.isOver, let property = followed.properties.firstIndex(where: { $0.keyPath == keyPath }) {
      Frame.withCurrent { frame in
        if frame.isTracking, frame.engine === followed.attachment.engine {
          frame.register(followed.attachment.slot(property))
        }
      }
    }
    return object[keyPath: keyPath]
  }

  /// Stops following the object. Its values stay in the log.
  public func cancel() { followed.attachment.engine.unfollow(followed) }
}
