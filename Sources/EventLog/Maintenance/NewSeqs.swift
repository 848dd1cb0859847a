/// New numbers of events by their old ones, where some are kept in their order and numbered on, and others dropped.
///
/// A kept event takes two bits. A dropped one stands for what led to it; that is known of the latest quarter of a
/// million, since effects follow their causes closely.
struct NewSeqs {
  /// The first event that was kept, and its new number.
  private var first: (old: UInt64, new: UInt64) = (0, 0)
  /// A bit for each event from the first on: whether it was kept.
  private var kept: [UInt64] = []
  /// How many were kept before each word of these.
  private var counts: [UInt64] = []
  /// The new numbers of what led to those that were dropped.
  private var dropped = RecentRing<UInt64>(keeping: 1 << 18)

  /// The new number of an event, or of what led to it; nil where there is none.
  subscript(old: UInt64) -> UInt64? {
    if let new = dropped[old] { return new }
    guard old >= first.old, (old - first.old) >> 6 < UInt64(kept.count) else { return nil }
    let word = Int((old - first.old) >> 6)
    let bit: UInt64 = 1 << ((old - first.old) & 63)
    guard kept[word] & bit != 0 else { return nil }
    return first.new + counts[word] + UInt64((kept[word] & (bit - 1)).nonzeroBitCount)
  }

  /// Notes an event that is kept, behind all that were before. New numbers count on from the first.
  mutating func keep(_ old: UInt64, as new: UInt64) {
    if kept.isEmpty { first = (old, new) }
    let index = old - first.old
    while UInt64(kept.count) <= index >> 6 {
      counts.append((counts.last ?? 0) + UInt64(kept.last?.nonzeroBitCount ?? 0))
      kept.append(0)
    }
    kept[Int(index >> 6)] |= 1 << (index & 63)
  }

  /// Notes an event that is dropped, and stands for another from now on.
  mutating func drop(_ old: UInt64, for new: UInt64) { dropped.note(old, new) }
}
