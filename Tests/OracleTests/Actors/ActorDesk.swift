import Projection

/// What an actor keeps.
@Recorded final class ActorDesk {
  var a = 0
  var b = 0
  var c = 0
  var d = 0
  var rows: RecordedArray<Int> = [0, 0, 0]
}

extension ActorDesk {
  func value(of property: DeskProperty) -> Int {
    switch property {
    case .a: a
    case .b: b
    case .c: c
    case .d: d
    case .row0, .row1, .row2: rows[property.rawValue - DeskProperty.row0.rawValue]
    }
  }

  func set(_ property: DeskProperty, to value: Int) {
    switch property {
    case .a: a = value
    case .b: b = value
    case .c: c = value
    case .d: d = value
    case .row0, .row1, .row2: rows[property.rawValue - DeskProperty.row0.rawValue] = value
    }
  }
}

extension DeskProperty {
  /// How it is written in the log.
  func path(at place: ActorPlace) -> String {
    row.map { "\(place).rows[\($0)]" } ?? "\(place).\(self)"
  }

  /// The key path of one that is no row.
  var keyPath: KeyPath<ActorDesk, Int> {
    switch self {
    case .a: \.a
    case .b: \.b
    case .c: \.c
    default: \.d
    }
  }
}

/// Another number for each sequence of numbers, as far as tests can tell.
func mixed(_ values: [Int]) -> Int { values.reduce(7) { ($0 &+ $1) &* 1_000_003 & 0xFFFF_FFFF_FFFF } }
