/// The kinds of events: how each is written, and what an event of it is about.
///
/// Code that asks a kind what it is about needs no list of kinds, and stays as it is when there is another. The raw
/// value is the code in a block.
public enum EventKind: UInt8, Hashable, Sendable, CaseIterable {
  case set, splice, remove, projection, reads, invalidate, evaluate, dispose, begin, end, mark

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
  func code(_ flags: UInt8 = 0) -> UInt8 { rawValue | flags }

  /// How many kinds there are.
  static let count = allCases.count
}
