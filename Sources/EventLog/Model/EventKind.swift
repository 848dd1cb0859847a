/// The kinds of events: how each is written, and what its events are about.
///
/// Code that asks for the properties of a kind needs no list of kinds, and stays correct when a kind is
/// added. The raw value is the code in a block.
public enum EventKind: UInt8, Hashable, Sendable, CaseIterable {
  /// A path was set to a value.
  case set
  /// A part of an array or a string was replaced.
  case splice
  /// A path was removed, or an object that the app has released.
  case remove
  /// A projection was created.
  case projection
  /// A projection reads other paths than before.
  case reads
  /// A projection is out of date.
  case invalidate
  /// A projection ran.
  case evaluate
  /// A projection ended.
  case dispose
  /// A transaction began.
  case begin
  /// A transaction ended.
  case end
  /// The app left a note.
  case mark
  /// The app began something that leads to writes: a tap, a request.
  case action
  /// An action ended.
  case finish

  /// What an event can be about.
  public enum Subject: Sendable {
    /// The path that it writes.
    case path
    /// The projection that it names.
    case projection
    /// Only its label, if it has one.
    case label
    /// Nothing.
    case nothing
  }

  /// What an event of the kind is about.
  @inlinable
  public var subject: Subject {
    switch self {
    case .set, .splice, .remove: .path
    case .projection, .reads, .invalidate, .evaluate, .dispose: .projection
    case .begin, .mark, .action: .label
    case .end, .finish: .nothing
    }
  }

  /// Whether the event writes to a path.
  @inlinable
  public var isWrite: Bool { subject == .path }

  /// Whether the app makes such an event on its own, so that without a cause it is unrelated to the events
  /// before. An `end` belongs to its `begin`, a `finish` to its `action`, and an event about a projection to
  /// the write that led to it.
  @inlinable
  public var beginsAnew: Bool {
    switch subject {
    case .path, .label: true
    case .projection, .nothing: false
    }
  }

  /// How an event changes the life of its projection.
  public enum LifeChange: Sendable {
    /// The projection exists from now on.
    case begins
    /// The projection no longer exists.
    case ends
  }

  /// How an event of the kind changes the life of its projection; nil if it does not.
  @inlinable
  public var lifeChange: LifeChange? {
    switch self {
    case .projection: .begins
    case .dispose: .ends
    case .set, .splice, .remove, .reads, .invalidate, .evaluate, .begin, .end, .mark, .action, .finish: nil
    }
  }

  /// The name of the kind in JSON Lines.
  public var name: String {
    switch self {
    case .set: "set"
    case .splice: "splice"
    case .remove: "remove"
    case .projection: "projection"
    case .reads: "reads"
    case .invalidate: "invalidate"
    case .evaluate: "evaluate"
    case .dispose: "dispose"
    case .begin: "begin"
    case .end: "end"
    case .mark: "mark"
    case .action: "action"
    case .finish: "finish"
    }
  }

  /// The kind with this name in JSON Lines.
  public init?(name: String) {
    guard let kind = Self.byName[name] else { return nil }
    self = kind
  }

  private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

  /// The kind of a byte whose high four bits are flags; nil for a kind of a newer version.
  @inline(__always)
  init?(code: UInt8) { self.init(rawValue: code & 0x0F) }

  /// The byte of an event of the kind with these flags.
  @inline(__always)
  func code(_ flags: EventFlags = EventFlags()) -> UInt8 { rawValue | flags.bits }

  /// Whether an event of the kind may have these flags.
  @inline(__always)
  func allows(_ flags: EventFlags) -> Bool {
    let allowed: UInt8 =
      switch self {
      case .set, .splice, .remove, .reads, .begin: 0x10
      case .projection: 0x70
      case .evaluate, .finish: 0x30
      default: 0
      }
    return flags.bits & ~allowed == 0
  }

  /// The number of kinds.
  static let count = allCases.count
  /// The number of kinds that every index counts. Those of later kinds are counted up to the last that a log has.
  static let countInIndex = 11
}

/// The flags of an event, the high four bits of its byte. What they mean depends on the kind.
///
///     set, splice, remove   0x10  nothing changed by the property's own comparison
///     projection            0x10  it has a parent
///                           0x60  the tracking: 0 element, 1 property, 2 object
///     reads                 0x10  it is a change of what was read before
///     evaluate              0x30  whether the output changed: 0 unknown, 1 no, 2 yes
///                           0xC0  the same for the input
///     begin                 0x10  it has a label
///     finish                0x30  0 the action returned, 1 it threw, 2 it was cancelled
///
/// Blocks have the same flags except 0xC0, which is a column there, because older readers would refuse the
/// flag.
@usableFromInline
struct EventFlags: Hashable, Sendable {
  /// The four bits at their position in the byte; the other bits are 0.
  @usableFromInline let bits: UInt8

  /// No flags.
  init() { bits = 0 }

  /// The flags in the byte of an event.
  @inline(__always)
  init(code: UInt8) { bits = code & 0xF0 }

  /// The flags of a `set`, `splice` or `remove`.
  @inline(__always)
  init(sameValue: Bool) { bits = sameValue ? 0x10 : 0 }

  /// The flags of a `projection`.
  init(_ tracking: Tracking, hasParent: Bool) {
    let number: UInt8 =
      switch tracking {
      case .element: 0
      case .property: 1
      case .object: 2
      }
    bits = number << 5 | (hasParent ? 0x10 : 0)
  }

  /// The flags of a `reads`.
  init(isChange: Bool) { bits = isChange ? 0x10 : 0 }

  /// The flags of an `evaluate`.
  @inline(__always)
  init(changed: Bool?, inputChanged: Bool?) {
    bits = (changed.map { $0 ? 0x20 : 0x10 } ?? 0) | (inputChanged.map { $0 ? 0x80 : 0x40 } ?? 0)
  }

  /// The flags of an `evaluate` with those of the input added, which a block holds as a number: 0 unknown, 1
  /// the same, 2 changed.
  func withInput(_ number: Int) -> EventFlags { EventFlags(code: bits | UInt8(number) << 6) }

  /// The flags of a `begin`.
  init(hasLabel: Bool) { bits = hasLabel ? 0x10 : 0 }

  /// The flags of a `finish`.
  init(_ outcome: ActionOutcome) {
    bits =
      switch outcome {
      case .returned: 0
      case .threw: 0x10
      case .cancelled: 0x20
      }
  }

  /// For `set`, `splice` and `remove`: whether nothing changed.
  @inlinable var isSameValue: Bool { bits & 0x10 != 0 }

  /// For `projection`: whether it has a parent. For `begin`: whether it has a label.
  var isNamed: Bool { bits & 0x10 != 0 }

  /// For `reads`: whether it is a change of what was read before.
  var isChange: Bool { bits & 0x10 != 0 }

  /// For `projection`: the tracking; nil for an undefined number.
  var tracking: Tracking? {
    switch bits >> 5 & 3 {
    case 0: .element
    case 1: .property
    case 2: .object
    default: nil
    }
  }

  /// For `finish`: how the action ended; nil for an undefined number.
  var outcome: ActionOutcome? {
    switch bits >> 4 & 3 {
    case 0: .returned
    case 1: .threw
    case 2: .cancelled
    default: nil
    }
  }

  /// For `evaluate`: whether the output changed; nil if that is not known, or for an undefined number.
  var changed: Bool? { Self.change(bits >> 4 & 3) }

  /// For `evaluate`: whether the input changed; nil if that is not known.
  var inputChanged: Bool? { Self.change(bits >> 6) }

  private static func change(_ number: UInt8) -> Bool? {
    switch number {
    case 1: false
    case 2: true
    default: nil
    }
  }
}
