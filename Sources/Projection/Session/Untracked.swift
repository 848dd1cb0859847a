/// Runs `body` and returns what it does; the projection, derived value or callback that runs does not depend on what
/// is read in it.
///
///     session.projection("Total") { _ in
///       let total = store.orders.count
///       untracked { print("\(store.user.name) sees \(total)") }   // a change of the name alone runs nothing
///       return total
///     }
///
/// It may be used anywhere and nests. Only reads of the innermost run are passed over: a child made within, and a derived
/// value that is computed because it is read within, go on following what they read themselves. Writes are recorded as
/// ever. The standard library's `withObservationTracking` knows nothing of this, and follows what is read here as well.
public func untracked<R>(_ body: () throws -> R) rethrows -> R { try Frame.untracked(body) }
