import EventLog

/// The value of a property before it changes, while that is what the log holds of it.
@usableFromInline
struct ValueBefore<Member> {
  let value: Member
  /// The attachment's ``Attachment/recordCount``.
  let recordCount: UInt64
}

/// A set between its announcement and its end. Made and used by ``RecordedRegistrar`` alone.
public struct RecordedChange<Member> {
  @usableFromInline let isSame: Bool
  /// Whether the set counts as a change.
  public var isChange: Bool { !isSame }
  /// Whether the standard library's observers were told that it comes.
  @usableFromInline let isWatched: Bool
  /// What was there before; nil where it does not matter.
  @usableFromInline let before: ValueBefore<Member>?
  /// Whether the app's own equality has said so.
  var isComparable = true

  @usableFromInline
  init(isSame: Bool, isWatched: Bool, before: ValueBefore<Member>?) {
    self.isSame = isSame
    self.isWatched = isWatched
    self.before = before
  }
}

/// A mutation in place between its announcement and its end. Made and used by ``RecordedRegistrar``, except
/// for the flag that an accessor sets.
public struct RecordedModification<Member> {
  /// Whether the mutation ran to its end. Stays false when it threw.
  public var isComplete = false

  /// Whether the standard library's observers were told that it comes.
  var isWatched = false
  /// Whether the log must not hold the value.
  var isRedacted = false
  /// Where the object is recorded, if it is.
  let attachment: Attachment?
  /// The value before, where the log's own copy cannot stand for it.
  var before: ValueBefore<Member>?
  /// The mutation of a recorded collection, while it keeps a journal.
  var mutation: CollectionMutation?
  /// What the journal says was done; nil when it does not tell the whole story.
  var edits: [Edit]?
  /// Whether what was done is recorded already.
  var isRecorded = false

  init(attachment: Attachment?) { self.attachment = attachment }
}
