import EventLog

/// Where sets of properties, and of fields of structs in them, to scalars go, most of what a recording has: found once for each
/// path of a block, and used again while the object has the name that the path gives it.
struct QuickSets {
  /// A field of a struct in a property.
  struct Field {
    /// Where the recording has it.
    let place: Place
    /// The steps to it from the property.
    let components: [PathComponent]
    /// Where it is in the struct, in bytes, and the type of that.
    let offset: Int
    let type: ObjectIdentifier
  }

  /// Retains nothing: while ``cell`` leads to the property, the recording has the object, and what stands for it is retained.
  struct Target {
    /// The recording's `shapeVersion` when the path led there.
    let shapeVersion: UInt64
    /// Where the recording's state has the value.
    let cell: Cell
    unowned(unsafe) let object: any RecordedObject
    let link: Unmanaged<Link>
    let attachment: Unmanaged<Attachment>
    let property: Int
    let type: ScalarType
    /// The index of the field among ``fields``; nil for the whole property.
    var field: Int?
  }

  private var targets: [Target] = []
  private(set) var fields: [Field] = []
  /// One more than the position of each path's target, by its number in the block; 0 where none is known.
  private var positions: [UInt32] = []
  private var block = -1
  private static let countMax = 1 << 16

  /// The target of a path; nil if none is known.
  @inline(__always)
  func target(ofPath path: Int, inBlock block: Int) -> Target? {
    guard block == self.block, path < positions.count, positions[path] > 0 else { return nil }
    return targets[Int(positions[path]) - 1]
  }

  /// Notes where a path of a block leads.
  mutating func add(
    _ target: Target, _ field: Field?, forPath path: Int, inBlock block: Int, ofPaths count: Int
  ) {
    if block != self.block || targets.count >= Self.countMax {
      targets.removeAll(keepingCapacity: true)
      fields = []
      positions = Array(repeating: 0, count: count)
      self.block = block
    }
    guard path < positions.count else { return }
    targets.append(target)
    if let field {
      targets[targets.count - 1].field = fields.count
      fields.append(field)
    }
    positions[path] = UInt32(targets.count)
  }

  /// Forgets all: other objects may stand for those of the recording.
  mutating func removeAll() { block = -1 }
}

/// The types of properties whose sets are driven the quick way.
enum ScalarType {
  case int, double, bool, string

  init?(_ value: Value) {
    switch value {
    case .int: self = .int
    case .double: self = .double
    case .bool: self = .bool
    case .string: self = .string
    default: return nil
    }
  }

  /// The type of properties that are recorded so.
  var swiftType: ObjectIdentifier {
    switch self {
    case .int: ObjectIdentifier(Int.self)
    case .double: ObjectIdentifier(Double.self)
    case .bool: ObjectIdentifier(Bool.self)
    case .string: ObjectIdentifier(String.self)
    }
  }

  /// Whether a value is of this type.
  @inline(__always)
  func holds(_ value: Value) -> Bool {
    switch (self, value) {
    case (.int, .int), (.double, .double), (.bool, .bool), (.string, .string): true
    default: false
    }
  }
}

/// Replaces a number, a Boolean or a text in a property by another, or in a struct that it holds.
final class QuickWriter: RecordedPropertyWriter {
  @exclusivity(unchecked) private var value = Value.null
  /// Whether the recorded session took the set for no change.
  @exclusivity(unchecked) private var wasSame = false
  /// The struct, and where in it, if it is not all of the property.
  @exclusivity(unchecked) private var part: (type: ObjectIdentifier, offset: Int)?
  /// Whether the value was stored.
  @exclusivity(unchecked) private(set) var isDone = false
  /// Whether it equals the one before.
  @exclusivity(unchecked) private(set) var isSame = false

  /// Begins with a value for a property.
  @inline(__always)
  func begin(_ value: Value, wasSame: Bool) {
    (self.value, self.wasSame, part, isDone) = (value, wasSame, nil, false)
  }

  /// Begins with a value for a field of a struct, to which it is no equal value.
  func begin(_ value: Value, in type: ObjectIdentifier, at offset: Int) {
    (self.value, wasSame, part, isDone) = (value, false, (type, offset), false)
  }

  func write<Member>(_ storage: inout Member) {
    if let part { return write(&storage, part.type, part.offset) }
    switch value {
    case .int(let number) where Member.self == Int.self:
      replace(&storage, by: Int(truncatingIfNeeded: number))
    case .double(let number) where Member.self == Double.self: replace(&storage, by: number)
    case .bool(let flag) where Member.self == Bool.self: replace(&storage, by: flag)
    case .string(let text) where Member.self == String.self: replace(&storage, by: text)
    default: break
    }
  }

  /// Replaces the value, whose type is that of the new one.
  @inline(__always)
  private func replace<Member, Scalar: Equatable>(_ storage: inout Member, by new: Scalar) {
    withUnsafeMutablePointer(to: &storage) { put(new, at: UnsafeMutableRawPointer($0)) }
  }

  /// Replaces the field of a struct, which has the type of the value.
  private func write<Member>(_ storage: inout Member, _ type: ObjectIdentifier, _ offset: Int) {
    if ObjectIdentifier(Member.self) != type { return }
    withUnsafeMutablePointer(to: &storage) {
      let field = UnsafeMutableRawPointer($0) + offset
      switch value {
      case .int(let number): put(Int(truncatingIfNeeded: number), at: field)
      case .double(let number): put(number, at: field)
      case .bool(let flag): put(flag, at: field)
      case .string(let text): put(text, at: field)
      default: break
      }
    }
  }

  /// Replaces a value by a new one; not if that is a change, and was none when it was recorded, nor a field by an equal value.
  @inline(__always)
  private func put<Scalar: Equatable>(_ new: Scalar, at address: UnsafeMutableRawPointer) {
    let stored = address.assumingMemoryBound(to: Scalar.self)
    isSame = Projection.isSame(stored.pointee, new)
    if isSame ? part != nil : wasSame { return }
    stored.pointee = new
    isDone = true
  }
}
