/// The kind of an event in the `kinds` column: the low four bits of its byte.
enum EventCode {
  static let set: UInt8 = 0
  static let splice: UInt8 = 1
  static let remove: UInt8 = 2
  static let projection: UInt8 = 3
  static let reads: UInt8 = 4
  static let invalidate: UInt8 = 5
  static let evaluate: UInt8 = 6
  static let dispose: UInt8 = 7
  static let begin: UInt8 = 8
  static let end: UInt8 = 9
  static let mark: UInt8 = 10

  /// How many kinds there are.
  static let count = 11
}

/// The flags of an event: the high four bits of its byte. Their meaning depends on the kind.
enum EventFlag {
  /// `set`, `splice`, `remove`: nothing changed by the rule of the property.
  static let sameValue: UInt8 = 0x10
  /// `projection`: it has a parent. `begin`: it has a label.
  static let named: UInt8 = 0x10
  /// `projection`: bits 5 and 6 are the tracking.
  static let trackingShift: UInt8 = 5
  /// `evaluate`: bits 4 and 5 say whether the output changed: 0 unknown, 1 no, 2 yes.
  static let changedShift: UInt8 = 4
}

/// The kind of a value in the `valueTags` column, and in the staging buffer of the writer.
enum ValueTag {
  static let null: UInt8 = 0
  static let `false`: UInt8 = 1
  static let `true`: UInt8 = 2
  static let int: UInt8 = 3
  static let uint: UInt8 = 4
  static let double: UInt8 = 5
  static let string: UInt8 = 6
  static let bytes: UInt8 = 7
  static let array: UInt8 = 8
  static let map: UInt8 = 9
  static let object: UInt8 = 10
  static let reference: UInt8 = 11
  static let redacted: UInt8 = 12
  static let opaque: UInt8 = 13
}

/// The kind of an entry of the path table.
enum PathCode {
  static let namedRoot: UInt8 = 0
  static let objectRoot: UInt8 = 1
  static let property: UInt8 = 2
  static let index: UInt8 = 3
  static let key: UInt8 = 4
  static let id: UInt8 = 5
  static let count: UInt8 = 6
  static let order: UInt8 = 7
  static let exists: UInt8 = 8
}

extension Tracking {
  /// The number of the tracking in the flags of an event.
  var code: UInt8 {
    switch self {
    case .element: 0
    case .property: 1
    case .object: 2
    }
  }

  /// The tracking with this number.
  init?(code: UInt8) {
    switch code {
    case 0: self = .element
    case 1: self = .property
    case 2: self = .object
    default: return nil
    }
  }
}
