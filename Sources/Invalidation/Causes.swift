/// The events that changed what a projection read, in order. A single event, the usual case, allocates
/// nothing.
package struct Causes: Hashable, Sendable {
  /// 0 if there is none.
  private let first: UInt64
  private let rest: [UInt64]

  /// One event.
  @inline(__always)
  package init(_ seq: UInt64) {
    first = seq
    rest = []
  }

  /// Any number of events.
  package init(_ seqs: [UInt64]) {
    first = seqs.first ?? 0
    rest = seqs.count > 1 ? Array(seqs.dropFirst()) : []
  }

  /// The event, if there is exactly one.
  package var only: UInt64? { first != 0 && rest.isEmpty ? first : nil }

  /// The number of events.
  package var count: Int { first == 0 ? 0 : rest.count + 1 }

  /// All of them.
  package var all: [UInt64] { first == 0 ? [] : [first] + rest }
}
