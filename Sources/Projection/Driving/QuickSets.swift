import EventLog

/// Where sets of whole properties to scalars go, most of what a recording has: found once for a path, and used again while
/// paths lead where they did.
///
/// The events of a block that name one path share the storage of its steps, so a path is known again by an address. An
/// entry retains the path, or another might get the address.
struct QuickSets {
  struct Target {
    fileprivate let path: Path
    fileprivate let routeVersion: UInt64
    /// Where the recording's state has the value.
    let cell: Cell
    let object: any RecordedObject
    let attachment: Attachment
    let property: Int
  }

  private var targets: [UInt: Target] = [:]
  private static let countMax = 4_096

  /// The target of a path; nil if it is not known, or paths may lead elsewhere since.
  func target(of path: Path, at routeVersion: UInt64) -> Target? {
    guard let target = targets[Self.address(of: path)], target.routeVersion == routeVersion else {
      return nil
    }
    return target
  }

  /// Notes where a path leads.
  mutating func add(
    _ path: Path, at routeVersion: UInt64, _ cell: Cell, _ object: any RecordedObject,
    _ attachment: Attachment,
    _ property: Int
  ) {
    if targets.count >= Self.countMax { targets = [:] }
    targets[Self.address(of: path)] = Target(
      path: path, routeVersion: routeVersion, cell: cell, object: object, attachment: attachment,
      property: property)
  }

  /// Lets all objects go.
  mutating func removeAll() { if !targets.isEmpty { targets = [:] } }

  private static func address(of path: Path) -> UInt {
    path.components.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
  }
}

/// Replaces a number, a Boolean or a text in a property by another.
final class QuickWriter: RecordedPropertyWriter {
  private var value = Value.null
  /// Whether the recorded session took the set for no change.
  private var wasSame = false
  /// Whether the value was stored.
  private(set) var isDone = false
  /// Whether it equals the one before.
  private(set) var isSame = false

  /// Begins with a value.
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
