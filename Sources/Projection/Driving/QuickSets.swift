import EventLog

/// Where sets of whole properties to scalars go, most of what a recording has: found once for each path of a block, and used
/// again while the object has the name that the path gives it.
struct QuickSets {
  /// Retains nothing: while ``cell`` leads to the property, the recording has the object, and what stands for it is retained.
  struct Target {
    /// The recording's `shapeVersion` when the path led there.
    let shapeVersion: UInt64
    /// Where the recording's state has the value.
    let cell: Cell
    unowned(unsafe) let object: any RecordedObject
    unowned(unsafe) let link: Link
    unowned(unsafe) let attachment: Attachment
    let property: Int
    let type: ScalarType
  }

  private var targets: [Target] = []
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
  mutating func add(_ target: Target, forPath path: Int, inBlock block: Int, ofPaths count: Int) {
    if block != self.block || targets.count >= Self.countMax {
      targets.removeAll(keepingCapacity: true)
      positions = Array(repeating: 0, count: count)
      self.block = block
    }
    guard path < positions.count else { return }
    targets.append(target)
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

  /// Whether a value is of this type.
  @inline(__always)
  func holds(_ value: Value) -> Bool {
    switch (self, value) {
    case (.int, .int), (.double, .double), (.bool, .bool), (.string, .string): true
    default: false
    }
  }
}

/// Replaces a number, a Boolean or a text in a property by another.
final class QuickWriter: RecordedPropertyWriter {
  @exclusivity(unchecked) private var value = Value.null
  /// Whether the recorded session took the set for no change.
  @exclusivity(unchecked) private var wasSame = false
  /// Whether the value was stored.
  @exclusivity(unchecked) private(set) var isDone = false
  /// Whether it equals the one before.
  @exclusivity(unchecked) private(set) var isSame = false

  /// Begins with a value.
  @inline(__always)
  func begin(_ value: Value, wasSame: Bool) { (self.value, self.wasSame, isDone) = (value, wasSame, false) }

  func write<Member>(_ storage: inout Member) {
    switch value {
    case .int(let number) where Member.self == Int.self:
      replace(&storage, by: Int(truncatingIfNeeded: number))
    case .double(let number) where Member.self == Double.self: replace(&storage, by: number)
    case .bool(let flag) where Member.self == Bool.self: replace(&storage, by: flag)
    case .string(let text) where Member.self == String.self: replace(&storage, by: text)
    default: break
    }
  }

  /// Replaces the value, whose type is that of the new one; not if that is a change, and was none when it was recorded.
  @inline(__always)
  private func replace<Member, Scalar: Equatable>(_ storage: inout Member, by new: Scalar) {
    withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: Scalar.self, capacity: 1) { stored in
        isSame = Projection.isSame(stored.pointee, new)
        if wasSame, !isSame { return }
        stored.pointee = new
        isDone = true
      }
    }
  }
}
