import LogGenerator

@testable import EventLog

/// A log of 64 KiB in two segments, generated from a seed, with every kind of event and of block.
///
/// Much of it is incompressible bytes, so that it has few events for its size, because it is read a million
/// times.
struct BulkLog: Sendable {
  static let path = "/logs/run.evlog"
  let seed: UInt64
  let bytes: [UInt8]
  let events: [Event]
  /// All blocks, checkpoints and indexes too, in order.
  let blocks: [BlockInfo]

  init(seed: UInt64) throws {
    self.seed = seed
    var session = ValidSession(seed: seed, bulkBytes: 600)
    let disk = SimulatedDisk()
    var options = LogOptions(blockEvents: 20)
    options.checkpointEvents = 60
    var events: [Event] = []
    var writer = try LogWriter(creating: Self.path, in: disk, options: options)
    var isSecond = false
    while (disk.bytes(Self.path)?.count ?? 0) < 64 << 10 {
      for event in session.events(20) {
        try writer.append(event)
        events.append(event)
      }
      try writer.ensure(events.count % 100 == 0 ? .synced : .written)
      if !isSecond, (disk.bytes(Self.path)?.count ?? 0) > 32 << 10 {
        isSecond = true
        try writer.close()
        writer = try LogWriter(appendingTo: Self.path, in: disk, options: options)
      }
    }
    try writer.close()
    self.events = events
    bytes = disk.bytes(Self.path) ?? []
    blocks = try LogReader(file: MemoryFile(bytes), path: "bulk", scanned: true).blocks
  }

  /// The seqs of the events in a block.
  func seqs(of block: BlockInfo) -> Set<UInt64> { Set(block.firstSeq..<block.endSeq) }

  func failure(_ what: String) -> TrialFailure { TrialFailure(description: "seed \(seed): \(what)") }
}
