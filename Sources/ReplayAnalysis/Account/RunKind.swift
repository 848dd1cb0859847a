/// What sort of run it was, whatever its line: each run is of the first that is true of it. So the times of callbacks, of
/// derived values and of what is made for the first time can be told apart from those of views that run again.
package enum RunKind: String, Codable, Sendable, CaseIterable {
  /// Of a projection whose value was published, as `derived.NAME`, by then.
  case derived
  /// Of a callback: what the app does there is in it.
  case callback
  /// A first run; see ``AccountLine``.
  case first
  case again

  /// What the runs are called.
  package var phrase: String {
    switch self {
    case .derived: "of derived values"
    case .callback: "of callbacks"
    case .first: "first runs"
    case .again: "further runs"
    }
  }
}
