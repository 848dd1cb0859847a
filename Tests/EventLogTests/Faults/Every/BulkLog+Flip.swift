@testable import EventLog

extension BulkLog {
  /// The log with one bit flipped: nothing is silently wrong, and recovery saves all but the block that was hit and says
  /// what it could not.
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
    let told = recovery.lost.reduce(into: Set<UInt64>()) { told, range in
      let last = min(range.last ?? .max, events[events.count - 1].seq)
      if range.first <= last { told.formUnion(range.first...last) }
    }
    if told != missing { throw failure("bit \(bit): lost \(missing.sorted()), told \(told.sorted())") }
  }

  /// Read from its end and block by block: all of it as it was, or somebody says that it is not.
  private func readFlipped(_ flipped: [UInt8], _ bit: Int) throws {
    for isScanned in [false, true] {
      var count = 0
      var isTold = false
      do {
        let log = try LogReader(file: MemoryFile(flipped), path: "flipped", scanned: isScanned)
        isTold = !log.isClean
        if isScanned {
          // The hashes stand for the events; the other way reads these.
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
      } catch is LogError { isTold = true }
      if count != events.count, !isTold { throw failure("bit \(bit): \(count) events, and nobody says so") }
    }
  }
}
