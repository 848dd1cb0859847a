@testable import EventLog

extension BulkLog {
  /// The log with one bit flipped: no event is silently wrong, and recovery saves all blocks but the damaged
  /// one, and reports the loss.
  func tryFlip(bit: Int) throws {
    var flipped = bytes
    flipped[bit / 8] ^= 1 << UInt8(bit % 8)
    try readFlipped(flipped, bit)
    let hit = blocks.first { $0.offset <= UInt64(bit / 8) && UInt64(bit / 8) < $0.endOffset }
    let disk = SimulatedDisk()
    disk.put(flipped, at: Self.path)
    let recovery = try LogRecovery.recover(Self.path, in: disk)
    var missing = Set(events.map(\.seq))
    for log in recovery.logs {
      try LogReader(file: MemoryFile(disk.bytes(log.path) ?? []), path: log.path).forEachEvent { event in
        if missing.remove(event.seq) == nil { throw failure("bit \(bit): event \(event.seq) is saved twice") }
        if event != events[Int(event.seq) - 1] {
          throw failure("bit \(bit): event \(event.seq) is saved wrong")
        }
      }
    }
    if !missing.isSubset(of: hit.map { seqs(of: $0) } ?? []) {
      throw failure("bit \(bit): \(missing.count) events are lost, more than one block")
    }
    let reported = recovery.lost.reduce(into: Set<UInt64>()) { reported, range in
      let last = min(range.last ?? .max, events[events.count - 1].seq)
      if range.first <= last { reported.formUnion(range.first...last) }
    }
    if reported != missing {
      throw failure("bit \(bit): lost \(missing.sorted()), reported \(reported.sorted())")
    }
  }

  /// Reads it by its index and block by block: each returns all events unchanged, or an error.
  private func readFlipped(_ flipped: [UInt8], _ bit: Int) throws {
    for isScanned in [false, true] {
      var count = 0
      var isReported = false
      do {
        let log = try LogReader(file: MemoryFile(flipped), path: "flipped", scanned: isScanned)
        isReported = !log.isClean
        if isScanned {
          // This pass compares the hashes of the blocks instead of their events; the other pass reads the
          // events.
          if log.blocks != Array(blocks.prefix(log.blocks.count)) {
            throw failure("bit \(bit): other blocks")
          }
          count = Int(log.eventCount)
        } else {
          try log.forEachEvent { event in
            if event != events[count] { throw failure("bit \(bit): event \(count + 1) is silently wrong") }
            count += 1
          }
        }
      } catch is LogError { isReported = true }
      if count != events.count, !isReported { throw failure("bit \(bit): \(count) events, and no error") }
    }
  }
}
