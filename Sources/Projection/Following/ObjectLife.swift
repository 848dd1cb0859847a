import Observation
import Synchronization

/// Tells the engine when a followed object has ended.
///
/// The object holds it: its registrar takes it for an observer of something that never changes. An observer of the object's
/// properties would not do, since what ends an observation holds that as well (``Bell``).
final class ObjectLife: Sendable {
  private let followed: FollowedObject

  private init(of followed: FollowedObject) { self.followed = followed }

  deinit { followed.attachment.engine.followedEnd.store(true, ordering: .releasing) }

  /// Has an object hold one as long as it lives. Does nothing if the object has no registrar of the name that `@Observable` gives;
  /// its end then shows when the session looks through all objects, now and then.
  static func begin(of object: AnyObject, _ followed: FollowedObject) {
    guard let registrar = registrars(of: object).first else { return }
    let life = ObjectLife(of: followed)
    withObservationTracking {
      registrar.access(Constant(), keyPath: \.value)
    } onChange: {
      withExtendedLifetime(life) {}
    }
  }

  /// The registrars of an object: one for each class that `@Observable` made.
  static func registrars(of object: AnyObject) -> [ObservationRegistrar] {
    var found: [ObservationRegistrar] = []
    var mirror: Mirror? = Mirror(reflecting: object)
    while let part = mirror {
      let field = part.children.first { $0.label == registrarName }
      if let registrar = field?.value as? ObservationRegistrar { found.append(registrar) }
      mirror = part.superclassMirror
    }
    return found
  }

  static let registrarName = "_$observationRegistrar"

  private final class Constant: ObservationProbe, Sendable {
    var value: Void { () }
  }
}
