import LogGenerator
import SystemPackage
import log_child

@testable import EventLog

/// The error that a trial found, and how to reproduce it.
struct TrialFailure: Error, CustomStringConvertible {
  var description: String
}

/// Records known events on a simulated disk with a fault, and compares what the disk holds then with the
/// events that were appended and the levels that were acknowledged.
struct CrashTrial {
  let seed: UInt64
  var random: SplitMix64
  let known: KnownEvents
  var options = LogOptions()
  var faults = SimulatedDisk.Faults()
  var events: Int
  /// Syncs to leave out, as a control of the checks themselves.
  static let path = "/logs/run.evlog"

  init(seed: UInt64) {
    self.seed = seed
    random = SplitMix64(seed: seed)
    known = KnownEvents(seed: seed)
    options = LogOptions(blockEvents: Int.random(in: 1...40, using: &random))
    options.checkpointEvents = 30
    options.retryInterval = .milliseconds(1)
    options.checkpointBytes = 2000
    events = Int.random(in: 1...200, using: &random)
    if Bool.random(using: &random) { options.segmentBytes = Int.random(in: 300...4000, using: &random) }
  }

  /// The levels that a recording acknowledged before it ended.
  struct Recording {
    var disk: SimulatedDisk
    var appended: UInt64
    var written: UInt64
    var synced: UInt64
    var error: LogError?
  }

  /// Records until a permanent failure, or until all is recorded.
  mutating func record(on disk: SimulatedDisk = SimulatedDisk()) -> Recording {
    disk.set(faults)
    var recording = Recording(disk: disk, appended: 0, written: 0, synced: 0)
    do {
      let writer = try LogWriter(creating: Self.path, in: disk, options: options)
      append(to: writer, &recording)
      do { try writer.close() } catch { recording.error = error }
      recording.appended = writer.seq(.queued)
      recording.written = writer.seq(.written)
      recording.synced = writer.seq(.synced)
    } catch {
      recording.error = error
    }
    return recording
  }

  private mutating func append(to writer: LogWriter, _ recording: inout Recording) {
    for seq in 1...UInt64(events) {
      do throws(LogError) {
        try writer.append(known.event(seq))
        switch Int.random(in: 0..<20, using: &random) {
        case 0: try writer.ensure(.synced)
        case 1, 2: try writer.ensure(.written)
        default: continue
        }
      } catch {
        recording.error = error
        // The next call tries a full disk again; refused events are not in the log.
        if writer.seq(.queued) < seq || error.errno != Errno.noSpace.rawValue { return }
      }
    }
  }

  /// Checks that a log is an exact prefix of the appended events, and returns its length.
  func check(
    _ path: String, on disk: any LogFileSystem, atLeast acknowledged: UInt64, atMost appended: UInt64,
    isClean: Bool
  ) throws -> UInt64 {
    let log = try LogReader(file: try SegmentSet(path, in: disk), path: path)
    if isClean, !log.isClean { throw failure("the log is not clean: \(log.tail)") }
    var state = State()
    var next: UInt64 = 1
    var isPrefix = true
    try log.forEachEvent { event in
      if event != known.event(next) || event.seq != next { isPrefix = false }
      next += 1
      try state.apply(event)
    }
    let count = next - 1
    if !isPrefix { throw failure("the \(count) events are no prefix of those appended") }
    if count < acknowledged { throw failure("\(count) events are left of \(acknowledged) acknowledged") }
    if count > appended { throw failure("\(count) events are there, and \(appended) were appended") }
    var (found, expected) = (StateFold(try log.state(at: count)), StateFold(state))
    if found.checkpoint() != expected.checkpoint() { throw failure("the state at \(count) is another") }
    return count
  }

  /// Recovers the log on a disk and checks the result. Returns how many events are left.
  @discardableResult
  func recoverAndCheck(
    _ disk: SimulatedDisk, atLeast acknowledged: UInt64, atMost appended: UInt64
  ) throws -> UInt64 {
    let before = disk.files
    let recovery: LogRecovery
    do { recovery = try LogRecovery.recover(Self.path, in: disk) } catch {
      // Not even a header is left, which is correct only if nothing was acknowledged.
      if acknowledged > 0 { throw failure("not recovered, with \(acknowledged) acknowledged: \(error)") }
      return 0
    }
    guard let first = recovery.logs.first else { throw failure("nothing came of the recovery") }
    if first.firstSeq > 1 {
      // The first block was never acknowledged, and is lost: later blocks are kept, but no block precedes
      // them.
      if acknowledged > 0 {
        throw failure("begins with \(first.firstSeq), with \(acknowledged) acknowledged")
      }
      return 0
    }
    let count = try check(
      first.path, on: disk, atLeast: acknowledged, atMost: appended, isClean: true)
    try checkNothingWasDeleted(before, disk.files)
    let files = disk.files
    _ = try LogRecovery.recover(Self.path, in: disk)
    if disk.files != files { throw failure("recovering twice is not as recovering once") }
    try appendMore(to: first.path, on: disk, after: count)
    return count
  }

  /// Every byte of the old log is in the log afterwards, or in a file that was kept.
  func checkNothingWasDeleted(_ before: [String: [UInt8]], _ after: [String: [UInt8]]) throws {
    for (name, bytes) in before where !name.hasSuffix(".recovering") {
      if let now = after[name] {
        if now.starts(with: bytes) { continue }
        let common = zip(now, bytes).prefix { $0 == $1 }.count
        let rest = Array(bytes[common...])
        if after.contains(where: { $0.key.hasSuffix(".torn") && $0.value.suffix(rest.count) == rest[...] }) {
          continue
        }
        // An unfinished footer is written again, with the same content.
        if rest.count < 17 + 12 * 400, now.count >= bytes.count || common >= bytes.count { continue }
        throw failure("\(rest.count) bytes of \(name) are gone")
      }
      if !after.values.contains(bytes) { throw failure("\(name) is gone") }
    }
  }

  private func appendMore(to path: String, on disk: SimulatedDisk, after count: UInt64) throws {
    var options = options
    options.segmentBytes = nil
    let writer = try LogWriter(appendingTo: path, in: disk, options: options)
    if writer.seq(.synced) != count { throw failure("appending goes on after \(writer.seq(.synced))") }
    for seq in count + 1...count + 30 { try writer.append(known.event(seq)) }
    try writer.close()
    _ = try check(path, on: disk, atLeast: count + 30, atMost: count + 30, isClean: true)
  }

  func failure(_ what: String) -> TrialFailure { TrialFailure(description: "seed \(seed): \(what)") }
}
