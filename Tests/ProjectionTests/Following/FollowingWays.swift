import Testing

@testable import Projection

/// The ways of following, which a test may choose.
extension FollowingWay {
  /// Those that are there on this system.
  static var all: [FollowingWay] {
    switch best {
    case .exact: [.exact, .told, .announced]
    case .told: [.told, .announced]
    case .announced: [.announced]
    }
  }
}

extension Session {
  /// Follows objects in this way from now on, instead of the best that there is. Call it before any object is followed.
  func follow(inThe way: FollowingWay) { engine.withLock { $0.followingWay = way } }
}
