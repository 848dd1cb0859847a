import EventLog

/// Who was woken by writes to what kind of place, and what came of it. By the numbers of groups.
struct WakePairs {
  /// Runs, and those of them that drew the same as before.
  struct Work {
    var runs = 0
    var wasted = 0
    var time: UInt64 = 0
    var wastedTime: UInt64 = 0

    mutating func add(_ entry: FlushRuns.Entry) {
      runs += 1
      time.addClamped(entry.duration)
      if entry.changed == false {
        wasted += 1
        wastedTime.addClamped(entry.duration)
      }
    }
  }

  struct Pair {
    /// The projections, and the places.
    var group: Int32
    var place: Int32
    /// How often one was woken, by how many writes, and how many by one at most.
    var wakes = 0
    var writes = 0
    var most = 0
    /// Their own runs, and those of projections that ran along with them.
    var own = Work()
    var dragged = Work()
    /// Who ran along, and how often for nothing.
    var followers: [(group: Int32, wasted: Int)] = []
    var evidence = Evidence()
    fileprivate var present = 0
  }

  private(set) var pairs: [Pair] = []
  private var numbers: [UInt64: Int32] = [:]
  /// By the name of the projection: its last pair.
  private var last = DenseMap<Int, Int32?>(default: nil)

  private static let followersMax = 8

  /// The number of a pair. Cost: a hash where a projection is woken by another kind of place than before.
  mutating func number(_ name: Int, _ group: Int32, _ place: Int32) -> Int {
    if let known = last[name].map({ Int($0) }), pairs[known].place == place, pairs[known].group == group {
      return known
    }
    let key = UInt64(UInt32(bitPattern: group)) << 32 | UInt64(UInt32(bitPattern: place))
    let number = numbers[key] ?? Int32(pairs.count)
    if Int(number) == pairs.count {
      pairs.append(Pair(group: group, place: place))
      numbers[key] = number
    }
    last[name] = number
    return Int(number)
  }

  /// Counts a projection that a write woke.
  mutating func noteWake(_ pair: Int, by seq: UInt64) {
    pairs[pair].wakes += 1
    if pairs[pair].evidence.last != seq {
      pairs[pair].writes += 1
      pairs[pair].present = 0
      pairs[pair].evidence.note(seq)
    }
    pairs[pair].present += 1
    pairs[pair].most = max(pairs[pair].most, pairs[pair].present)
  }

  /// Counts a run of a projection that was woken.
  mutating func noteRun(_ pair: Int, _ entry: FlushRuns.Entry) { pairs[pair].own.add(entry) }

  /// Counts a run of a projection that ran along.
  mutating func noteDragged(_ pair: Int, _ entry: FlushRuns.Entry) {
    pairs[pair].dragged.add(entry)
    let wasted = entry.changed == false ? 1 : 0
    if let known = pairs[pair].followers.firstIndex(where: { $0.group == entry.group }) {
      pairs[pair].followers[known].wasted += wasted
    } else if pairs[pair].followers.count < Self.followersMax {
      pairs[pair].followers.append((entry.group, wasted))
    }
  }
}

/// Some of the events that show something.
struct Evidence: Codable, Sendable {
  /// The first few.
  var seqs: [UInt64] = []
  var last: UInt64 = 0
  private static let seqsMax = 3

  mutating func note(_ seq: UInt64) {
    if seqs.count < Self.seqsMax { seqs.append(seq) }
    last = seq
  }
}
