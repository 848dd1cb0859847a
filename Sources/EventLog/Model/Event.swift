/// One thing that happened, as the log holds it.
public struct Event: Hashable, Sendable {
  /// The sequence number: from 1, no holes. The order of events is the order of `seq`, never of time.
  public var seq: UInt64
  /// Nanoseconds since the session began.
  public var time: UInt64
  /// The event whose callback or evaluation led to this one, if any; always smaller than `seq`.
  public var cause: UInt64?
  /// Where in the source it was written, as `Chat.swift:42`.
  public var site: String?
  /// Who wrote it, where the recording was asked to keep that.
  public var origin: Origin?
  /// What happened.
  public var body: Body

  /// Creates an event.
  public init(
    seq: UInt64, time: UInt64, cause: UInt64? = nil, site: String? = nil, origin: Origin? = nil, body: Body
  ) {
    self.seq = seq
    self.time = time
    self.cause = cause
    self.site = site
    self.origin = origin?.unlessEmpty
    self.body = body
  }

  /// What an event can say.
  public enum Body: Hashable, Sendable {
    /// The value at a place was set. `sameValue` means that by the rule of the property nothing changed.
    case set(Path, Value, sameValue: Bool)
    /// Part of a string (offsets in UTF-8 bytes, `insert` a string) or an array (offsets in elements,
    /// `insert` an array) was replaced.
    case splice(Path, offset: Int, delete: Int, insert: Value, sameValue: Bool)
    /// An entry, element or property went away.
    case remove(Path, sameValue: Bool)
    /// A projection was created.
    case projection(name: String, parent: String?, tracking: Tracking)
    /// From now on the projection depends on these places and no others.
    case reads(projection: String, paths: [Path])
    /// The session found the projection out of date, because of these events. `cause` of the event is
    /// the end of the flush's transaction, or the single event.
    case invalidate(projection: String, causes: [UInt64])
    /// The projection ran. `changed` says whether its output differed, where that could be told.
    case evaluate(projection: String, duration: UInt64, changed: Bool?)
    /// The projection is gone.
    case dispose(projection: String)
    /// A transaction began.
    case begin(label: String?)
    /// The innermost open transaction ended.
    case end
    /// A note from the app.
    case mark(label: String)
  }
}

/// How finely a projection follows what it reads.
public enum Tracking: String, Hashable, Sendable, CaseIterable {
  /// To the element: woken only when a value it read differs.
  case element
  /// To the property, as `@Observable` does: woken by any change within a property it read.
  case property
  /// To the object, as `ObservableObject` does: woken by any set of any property, same-value included.
  case object
}
