import Observation

// What Swift 6.4 adds to the module Observation (SE-0506), as far as the package uses it. The file is checked as a part of the module
// that uses it, since the standard library's own Observation keeps its name.

enum ObservationTracking {
  struct Options: OptionSet, Sendable {
    let rawValue: Int
    static let willSet = Options(rawValue: 1)
    static let didSet = Options(rawValue: 2)
    static let `deinit` = Options(rawValue: 4)
  }

  struct Event: ~Copyable {
    struct Kind: Equatable, Sendable {
      private let number: Int
      static let initial = Kind(number: 0)
      static let willSet = Kind(number: 1)
      static let didSet = Kind(number: 2)
      static let `deinit` = Kind(number: 3)
    }

    var kind: Kind { .initial }
    func matches(_ keyPath: PartialKeyPath<some Observable>) -> Bool { false }
    func cancel() {}
  }
}

func withObservationTracking<Result: ~Copyable, Failure: Error>(
  options: ObservationTracking.Options, _ apply: () throws(Failure) -> Result,
  onChange: @escaping @Sendable (borrowing ObservationTracking.Event) -> Void
) throws(Failure) -> Result { try apply() }
