@testable import EventLog

extension BulkLog {
  /// The log cut off before a byte: the whole blocks before it can be read, and recovery keeps them and the remaining
  /// bytes.
  func tryCut(at cut: Int) throws {
    let rest = Array(bytes[..<cut])
    let whole = Array(blocks.prefix { $0.endOffset <= UInt64(cut) })
    for isScanned in [false, true] {
      do {
        let log = try LogReader(file: MemoryFile(rest), path: "cut", scanned: isScanned)
        if log.blocks != whole { throw failure("cut \(cut): \(log.blocks.count) blocks of \(whole.count)") }
        if try log.allEvents() != Array(events.prefix(Int(whole.last?.endSeq ?? 1) - 1)) {
          throw failure("cut \(cut): the events are no prefix")
        }
        // The first segment was closed, and is a log of its own.
        if log.isClean, cut < bytes.count, !isEndOfSegment(cut) {
          throw failure("cut \(cut): nobody says so")
        }
      } catch let error as LogError {
        guard whole.isEmpty, error.code == (cut == 0 ? .notALog : .torn) else {
          throw failure("cut \(cut): \(error)")
        }
      }
    }
    try recoverCut(rest, whole)
  }

  private func isEndOfSegment(_ cut: Int) -> Bool {
    blocks.contains { $0.kind == BlockKind.header && $0.offset == UInt64(cut) }
  }

  private func recoverCut(_ rest: [UInt8], _ whole: [BlockInfo]) throws {
    let disk = SimulatedDisk()
    disk.put(rest, at: Self.path)
    let end = Int(whole.last?.endOffset ?? 0)
    do {
      let recovery = try LogRecovery.recover(Self.path, in: disk)
      let saved = disk.bytes(Self.path) ?? []
      guard recovery.logs.count == 1, recovery.logs.first?.nextSeq == whole.last?.endSeq,
        saved.starts(with: bytes[..<end])
      else { throw failure("cut \(rest.count): recovered as \(recovery)") }
      let log = try LogReader(file: MemoryFile(saved), path: "recovered", scanned: true)
      if !log.isClean || log.blocks != whole {
        throw failure("cut \(rest.count): what was recovered is not clean")
      }
      // Every byte is in the log, or in the file with the part that was cut off.
      let torn = disk.bytes(Self.path + ".torn") ?? []
      guard rest.suffix(torn.count) == torn[...], saved.starts(with: rest.dropLast(torn.count)) else {
        throw failure("cut \(rest.count): bytes are gone")
      }
    } catch let error as LogError {
      guard whole.isEmpty, disk.files == [Self.path: rest] else {
        throw failure("cut \(rest.count): \(error)")
      }
    }
  }
}
