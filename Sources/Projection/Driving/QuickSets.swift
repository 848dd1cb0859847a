import EventLog

/// The targets of sets of scalars in properties, and in fields of structs in them, which are most events of a
/// recording. Each target is found once for a path of a block, and reused while the path of its object stays
/// the same.
struct QuickSets {
  /// A field of a struct in a property.
  struct Field {
    /// The path from the property to the field.
    let components: [PathComponent]
    /// The field's offset in the struct in bytes, and the type of the struct.
    let offset: Int
    let type: ObjectIdentifier
  }

  /// Where a set goes. It retains nothing: while ``location`` leads to the property, the recording has the
  /// object, and its counterpart is retained.
  struct Target {
    /// The recording's `shapeVersion` when the path led to the target.
    let shapeVersion: UInt64
    /// Where the recording's state has the value.
    let location: PropertyLocation
    #if REPLAY_CHECKS
      unowned let object: any RecordedObject
    #else
      unowned(unsafe) let object: any RecordedObject
    #endif
    let link: Unmanaged<Link>
    let attachment: Unmanaged<Attachment>
    let property: Int
    let type: ScalarType
    /// The index of the field among ``fields``; nil for the whole property.
    var field: Int?
  }

  private var targets: [Target] = []
  private(set) var fields: [Field] = []
  /// By the path's number in the block, one more than the index of its target; 0 if it has none.
  private var positions: [UInt32] = []
  private var block = -1
  private static let countMax = 1 << 16

  /// The target of a path; nil if it is not known.
  @inline(__always)
  func target(ofPath path: Int, inBlock block: Int) -> Target? {
    guard block == self.block, path < positions.count, positions[path] > 0 else { return nil }
    return targets[Int(positions[path]) - 1]
  }

  /// Adds the target of a path of a block.
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

  /// Forgets all targets. Call it when other objects may be paired with those of the recording.
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

  /// The Swift type of the properties with this recorded type.
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

/// Replaces a scalar in a property, or in a field of a struct in a property.
final class QuickWriter: RecordedPropertyWriter {
  private var value = Value.null
  /// Whether the recorded session found that the set changes nothing.
  private var wasSame = false
  /// The type of the struct and the offset of the field, unless the set is of the whole property.
  private var part: (type: ObjectIdentifier, offset: Int)?
  /// Whether the value was stored.
  private(set) var isDone = false
  /// Whether the new value equals the old one.
  private(set) var isSame = false

  /// Prepares to set a property.
  @inline(__always)
  func begin(_ value: Value, wasSame: Bool) {
    (self.value, self.wasSame, part, isDone) = (value, wasSame, nil, false)
  }

  /// Prepares to set a field of a struct to a value that is recorded as a change.
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

  /// Replaces the value of a property, which has the same type as the new value.
  @inline(__always)
  private func replace<Member, Scalar: Equatable>(_ storage: inout Member, by new: Scalar) {
    withUnsafeMutablePointer(to: &storage) { put(new, at: UnsafeMutableRawPointer($0)) }
  }

  /// Replaces a field of a struct, which has the same type as the new value.
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

  /// Replaces a value by a new one. Leaves two cases to the general way: the values differ although the set
  /// was recorded as no change, or the values are equal and the set is of a field.
  @inline(__always)
  private func put<Scalar: Equatable>(_ new: Scalar, at address: UnsafeMutableRawPointer) {
    let stored = address.assumingMemoryBound(to: Scalar.self)
    isSame = Projection.isSame(stored.pointee, new)
    if isSame ? part != nil : wasSame { return }
    stored.pointee = new
    isDone = true
  }
}
