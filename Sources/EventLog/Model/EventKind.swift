/// The kinds of events: how each is written, and what an event of it is about.
///
/// Code that asks a kind what it is about needs no list of kinds, and stays as it is when there is another. The raw
/// value is the code in a block.
public enum EventKind: UInt8, Hashable, Sendable, CaseIterable {
  /// A path was set to a value.
  case set
  /// A part of an array or a string was replaced.
  case splice
  /// A path, or an object that the app has released, is gone.
  case remove
  /// A projection was made.
  case projection
  /// What a projection reads, as far as it changed.
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

  /// What an event can be about.
  public enum Subject: Sendable {
    /// The path that it writes.
    case path
    /// The projection that it names.
    case projection
    /// Nothing but the label that it has or may have.
    case label
    /// Nothing of its own.
    case nothing
  }

  /// What an event of the kind is about.
  @inlinable
  public var subject: Subject {
    switch self {
    case .set, .splice, .remove: .path
    case .projection, .reads, .invalidate, .evaluate, .dispose: .projection
    case .begin, .mark: .label
    case .end: .nothing
    }
  }

  /// Whether the event writes to a path.
  @inlinable
  public var isWrite: Bool { subject == .path }

  /// Whether the app does it of its own accord where nothing caused it, so that it has nothing to do with what came
  /// before. An `end` belongs to its `begin`, and what is about projections to the write that led to it.
  @inlinable
  public var beginsAnew: Bool {
    switch subject {
    case .path, .label: true
    case .projection, .nothing: false
    }
  }

  /// What an event can do to the life of the projection that it is about.
  public enum LifeChange: Sendable {
    /// It lives from now on.
    case begins
    /// It is gone.
    case ends
  }

  /// What an event of the kind does to the life of its projection; nil where it does nothing to it.
  @inlinable
  public var lifeChange: LifeChange? {
    switch self {
    case .projection: .begins
    case .dispose: .ends
    case .set, .splice, .remove, .reads, .invalidate, .evaluate, .begin, .end, .mark: nil
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
    }
  }

  /// The kind that has this name in JSON Lines.
  public init?(name: String) {
    guard let kind = Self.byName[name] else { return nil }
    self = kind
  }

  private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

  /// The kind of a byte whose high four bits are flags; nil where a newer version made it.
  @inline(__always)
  init?(code: UInt8) { self.init(rawValue: code & 0x0F) }

  /// The byte of an event of the kind that has these flags.
  @inline(__always)
  func code(_ flags: EventFlags = EventFlags()) -> UInt8 { rawValue | flags.bits }

  /// Whether an event of the kind may have these flags.
  @inline(__always)
  func allows(_ flags: EventFlags) -> Bool {
    let allowed: UInt8 =
      switch self {
      case .set, .splice, .remove, .reads, .begin: 0x10
      case .projection: 0x70
      case .evaluate: 0x30
      default: 0
      }
    return flags.bits & ~allowed == 0
  }

  /// How many kinds there are.
  static let count = allCases.count
}

/// The flags of an event, the high four bits of its byte. What they mean depends on the kind.
///
///     set, splice, remove   0x10  by the rule of the property nothing changed
///     projection            0x10  it has a parent
///                           0x60  the tracking: 0 element, 1 property, 2 object
///     reads                 0x10  it is a change of what was read before
///     evaluate              0x30  whether the output changed: 0 unknown, 1 no, 2 yes
///                           0xC0  likewise what was handed in
///     begin                 0x10  it has a label
///
/// A block has the same but for 0xC0, which is a column there: readers from before it would refuse a flag.
@usableFromInline
struct EventFlags: Hashable, Sendable {
  /// The four bits where they are in the byte; the others are 0.
  @usableFromInline let bits: UInt8

  /// None.
  init() { bits = 0 }

  /// Those in the byte of an event.
  @inline(__always)
  init(code: UInt8) { bits = code & 0xF0 }

  /// Those of `set`, `splice` and `remove`.
  @inline(__always)
  init(sameValue: Bool) { bits = sameValue ? 0x10 : 0 }

  /// Those of `projection`.
  init(_ tracking: Tracking, hasParent: Bool) {
    let number: UInt8 =
      switch tracking {
      case .element: 0
      case .property: 1
      case .object: 2
      }
    bits = number << 5 | (hasParent ? 0x10 : 0)
  }

  /// Those of `reads`.
  init(isChange: Bool) { bits = isChange ? 0x10 : 0 }

  /// Those of `evaluate`.
  @inline(__always)
  init(changed: Bool?, inputChanged: Bool?) {
    bits = (changed.map { $0 ? 0x20 : 0x10 } ?? 0) | (inputChanged.map { $0 ? 0x80 : 0x40 } ?? 0)
  }

  /// The same of `evaluate` with what a block says of the input: 0 unknown, 1 the same, 2 changed.
  func withInput(_ number: Int) -> EventFlags { EventFlags(code: bits | UInt8(number) << 6) }

  /// Those of `begin`.
  init(hasLabel: Bool) { bits = hasLabel ? 0x10 : 0 }

  /// Of `set`, `splice` and `remove`: whether nothing changed.
  @inlinable var isSameValue: Bool { bits & 0x10 != 0 }

  /// Of `projection`: whether it has a parent. Of `begin`: whether it has a label.
  var isNamed: Bool { bits & 0x10 != 0 }

  /// Of `reads`: whether it is a change of what was read before.
  var isChange: Bool { bits & 0x10 != 0 }

  /// Of `projection`: the tracking; nil for a number that stands for none.
  var tracking: Tracking? {
    switch bits >> 5 & 3 {
    case 0: .element
    case 1: .property
    case 2: .object
    default: nil
    }
  }

  /// Of `evaluate`: whether the output changed; nil where that is not known, and for a number that stands for nothing.
  var changed: Bool? { Self.change(bits >> 4 & 3) }

  /// Of `evaluate`: whether what was handed in changed; nil where that is not known.
  var inputChanged: Bool? { Self.change(bits >> 6) }

  private static func change(_ number: UInt8) -> Bool? {
    switch number {
    case 1: false
    case 2: true
    default: nil
    }
  }
}
