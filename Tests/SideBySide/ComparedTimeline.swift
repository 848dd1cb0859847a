import EventLog
import FormerCore
import Invalidation

/// The interface of an invalidation core that is driven by events, as far as it is compared. Tests of the
/// comparison use a core with a fault.
package protocol ComparedTimeline {
  /// Applies the next event and returns what it invalidated, in order of creation.
  mutating func hits(of event: Event) throws(StateError) -> [FormerTimeline.Hit]

  /// The value at a place, or nil if there is none.
  mutating func value(at path: Path) -> Value?

  /// The whole state as text, see ``FormerTimeline/text(roots:objects:)``.
  var stateText: String { mutating get }
}

/// The product's core.
package struct PresentTimeline: ComparedTimeline {
  private var timeline = Timeline()

  package init() {}

  package mutating func hits(of event: Event) throws(StateError) -> [FormerTimeline.Hit] {
    try timeline.apply(event).map { FormerTimeline.Hit(projection: $0.projection, causes: $0.causes) }
  }

  package mutating func value(at path: Path) -> Value? { timeline.state.value(at: path) }

  package var stateText: String {
    mutating get {
      let state = timeline.state
      return FormerTimeline.text(
        roots: state.roots, objects: state.objects.map { ($0.key, $0.value.type, $0.value.fields) })
    }
  }
}
