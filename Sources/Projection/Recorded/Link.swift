import Synchronization

/// An object's end of both ties: to the session that records it, and to the standard library's observers.
///
/// It is all that a new object pays for: what the ties need is made when the first of either kind is tied.
@usableFromInline
final class Link: Sendable {
  private let attached = Atomic<Unmanaged<Attachment>?>(nil)
  private let watched = Atomic<Unmanaged<Watchers>?>(nil)

  init() {}

  deinit {
    attached.load(ordering: .acquiring)?.release()
    watched.load(ordering: .acquiring)?.release()
  }

  /// The present attachment. Cost while there is none: one load.
  var attachment: Attachment? {
    guard let attachment = attached.load(ordering: .acquiring)?.takeUnretainedValue(),
      !attachment.engine.isClosed
    else { return nil }
    return attachment
  }

  /// Runs the body with the present attachment, or one to a session that is closed by now; never counts a reference.
  @inline(__always)
  func withLastAttachment(_ body: (Attachment) -> Void) {
    attached.load(ordering: .acquiring)?._withUnsafeGuaranteedRef(body)
  }

  /// Ties the object to a session. The attachments before are kept: another thread may be using them.
  func attach(_ attachment: Attachment) {
    attachment.before = attached.load(ordering: .acquiring)
    attached.store(Unmanaged.passRetained(attachment), ordering: .releasing)
  }

  /// The observers of the standard library, if the object was ever read.
  @inline(__always)
  var watchers: Watchers? {
    watched.load(ordering: .acquiring)?._withUnsafeGuaranteedRef { $0 }
  }

  /// The observers of the standard library, for an object of so many properties.
  @inline(never)
  func makeWatchers(properties: Int) -> Watchers {
    let made = Unmanaged.passRetained(Watchers(properties: properties))
    let (isFirst, known) = watched.compareExchange(
      expected: nil, desired: made, ordering: .acquiringAndReleasing)
    guard !isFirst, let known else { return made.takeUnretainedValue() }
    made.release()
    return known.takeUnretainedValue()
  }
}
