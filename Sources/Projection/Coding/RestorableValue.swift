import EventLog

/// A type that can be made again from what the log holds of it: the inverse of ``RecordableValue``.
///
///     extension Color: RestorableValue {
///       static func restored(from value: Value, in context: RestoringContext) throws -> Color {
///         Color(hex: try context.restore(String.self, from: value))
///       }
///     }
///
/// `Decodable` types need none, nor do enums that have raw values.
public protocol RestorableValue {
  /// The value that was recorded as `value`.
  ///
  /// - Throws: ``RestoreProblem``, as from `context.restore` and `context.mismatch`, if it is nothing of the kind.
  static func restored(from value: Value, in context: RestoringContext) throws -> Self
}
