/// What the log keeps of a redacted property.
public enum Redaction: Hashable, Sendable {
  /// That it was set. Neither the value, nor its size, nor whether it differs from the one before: every set counts as
  /// a change.
  case hidden
  /// A number for the value, by which two values in one session can be told apart and no more: it is made with a
  /// random key that is never written. Sets to an equal value are recorded as such.
  case hashed
}
