/// The name of a value: a root, and the steps that lead from it to the value.
///
/// Written `store.rows[2].count`, `app.episodes["a1"].title`, `store.rows[id: 7]`. An object that no
/// root reaches any more is addressed by its number: `#5.title`. A step in brackets with a `#` names an
/// aspect of a collection rather than a part of it: `store.rows[#count]`.
///
/// Two paths are equal if they are written the same: names byte for byte, and doubles that are ids bit for
/// bit.
public struct Path: Hashable, Sendable {
  /// Where the path starts.
  public enum Root: Sendable {
    /// An attached root, by its name.
    case named(String)
    /// Any object, by its number.
    case object(ObjectID)
  }

  /// Where the path starts.
  public var root: Root
  /// The steps from the root down; empty for the root itself.
  public var components: [PathComponent]

  /// Creates a path from its parts.
  public init(root: Root, components: [PathComponent] = []) {
    self.root = root
    self.components = components
  }

  /// The path one step further down. Cost: linear in the depth.
  public func appending(_ component: PathComponent) -> Path {
    Path(root: root, components: components + [component])
  }

  /// The deepest path that may be read from a log, in components.
  public static let maximumDepth = 64
}

/// One step of a path.
public enum PathComponent: Sendable {
  /// `.name`: a property of an object, a field of a struct.
  case property(String)
  /// `[3]`: an element of an array by its offset.
  case index(Int)
  /// `["a1"]`: an entry of a dictionary. On a map it addresses the same entry as `property`.
  case key(String)
  /// `[id: 7]`: the first element of an array whose `id` is this scalar.
  case id(Value)
  /// `[#count]`: how many elements there are.
  case count
  /// `[#order]`: which elements there are, in order, by id where they have one; for a dictionary its keys.
  case order
  /// `[#exists]`: whether there is a value.
  case exists

  /// Whether the step names an aspect, which can be read but not written.
  public var isAspect: Bool {
    switch self {
    case .count, .order, .exists: true
    case .property, .index, .key, .id: false
    }
  }
}

extension Path.Root: Hashable {
  /// Whether both are written the same.
  public static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.named(let a), .named(let b)): a.hasSameBytes(as: b)
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }

  /// Hashes consistently with `==`.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .named(let name): hasher.combine(bytesOf: name)
    case .object(let id): hasher.combine(id)
    }
  }
}

extension PathComponent: Hashable {
  /// Whether both are written the same.
  public static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.property(let a), .property(let b)), (.key(let a), .key(let b)): a.hasSameBytes(as: b)
    case (.index(let a), .index(let b)): a == b
    // Equal doubles can have different bits (0.0 and -0.0), which are written differently.
    case (.id(.double(let a)), .id(.double(let b))): a.bitPattern == b.bitPattern
    case (.id(let a), .id(let b)): a == b
    case (.count, .count), (.order, .order), (.exists, .exists): true
    default: false
    }
  }

  /// Hashes consistently with `==`.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .property(let name):
      hasher.combine(0)
      hasher.combine(bytesOf: name)
    case .key(let name):
      hasher.combine(1)
      hasher.combine(bytesOf: name)
    case .index(let index):
      hasher.combine(2)
      hasher.combine(index)
    case .id(let value):
      hasher.combine(3)
      hasher.combine(value)
    case .count: hasher.combine(4)
    case .order: hasher.combine(5)
    case .exists: hasher.combine(6)
    }
  }
}
