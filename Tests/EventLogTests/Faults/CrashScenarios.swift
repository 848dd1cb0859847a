import LogGenerator
import Foundation
import SystemPackage

@testable import EventLog

/// The kinds of trials, each run from one seed. A trial throws a description of the error, and returns how
/// many cases it tried.
enum Scenario: String, CaseIterable, Sendable {
  case kill, powerLoss, writeFaults, fullDisk, failedSync, crashInRecovery, crashInAppend, crashInCompaction
  case killedProcess, cuts, flips, everyCall

  func run(seed: UInt64) throws -> Int {
    switch self {
    case .kill: try Self.crash(seed, isKill: true)
    case .powerLoss: try Self.crash(seed, isKill: false)
    case .writeFaults: try Self.writeFaults(seed)
    case .fullDisk: try Self.fullDisk(seed)
    case .failedSync: try Self.failedSync(seed)
    case .crashInRecovery: try Self.crashInRecovery(seed)
    case .crashInAppend: try Self.crashInAppend(seed)
    case .crashInCompaction: try Self.crashInCompaction(seed)
    case .killedProcess: try KilledChild.run(seed: seed) > 0 ? 1 : 0
    case .cuts: try Self.cuts(seed)
    case .flips: try Self.flips(seed)
    case .everyCall: try Self.everyCall(seed)
    }
  }

  /// A crash between any two calls: a killed process keeps what was written, a loss of power what was synced.
  private static func crash(_ seed: UInt64, isKill: Bool) throws -> Int {
    var whole = CrashTrial(seed: seed)
    let calls = whole.record().disk.calls
    var random = SplitMix64(seed: ~seed)
    var trials = 0
    for _ in 0..<8 {
      var trial = CrashTrial(seed: seed)
      trial.faults.crashAt = Int.random(in: 1...calls + 1, using: &random)
      if Bool.random(using: &random) { trial.faults.writeBytesMax = Int.random(in: 1...700, using: &random) }
      let end = trial.record()
      trials += 1
      if isKill {
        try trial.recoverAndCheck(end.disk.afterKill(), atLeast: end.written, atMost: end.appended)
        continue
      }
      for _ in 0..<3 {
        try trial.recoverAndCheck(
          end.disk.afterPowerLoss(&random), atLeast: end.synced, atMost: end.appended)
      }
    }
    return trials
  }

  /// An error, a short write or an interruption at any call: no false acknowledgement, and a valid prefix.
  private static func writeFaults(_ seed: UInt64) throws -> Int {
    var whole = CrashTrial(seed: seed)
    let calls = whole.record().disk.calls
    var random = SplitMix64(seed: ~seed)
    let errors: [Errno] = [.ioError, .noSpace, .interrupted, .diskQuotaExceeded]
    for _ in 0..<8 {
      var trial = CrashTrial(seed: seed)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        trial.faults.errors[Int.random(in: 1...calls, using: &random)] = errors.randomElement(using: &random)
      }
      if Bool.random(using: &random) { trial.faults.writeBytesMax = Int.random(in: 1...700, using: &random) }
      let end = trial.record()
      end.disk.set(SimulatedDisk.Faults())
      try trial.recoverAndCheck(end.disk.afterKill(), atLeast: end.written, atMost: end.appended)
      try trial.recoverAndCheck(
        end.disk.afterPowerLoss(&random), atLeast: end.synced, atMost: end.appended)
    }
    return 8
  }

  /// A disk that is full for a while: all accepted events are in the log at the end.
  private static func fullDisk(_ seed: UInt64) throws -> Int {
    var trial = CrashTrial(seed: seed)
    trial.faults.capacity = Int.random(in: 400...3000, using: &trial.random)
    let disk = SimulatedDisk()
    disk.set(trial.faults)
    let writer = try LogWriter(creating: CrashTrial.path, in: disk, options: trial.options)
    var refused = 0
    var seq: UInt64 = 1
    while seq <= 2000, refused < 3 {
      do {
        try writer.append(trial.known.event(seq))
        seq += 1
        if seq % 50 == 0 { try writer.ensure(.written) }
      } catch {
        refused += 1
        let log = try LogReader(file: SegmentSet(CrashTrial.path, in: disk), path: CrashTrial.path)
        if log.eventCount < writer.seq(.written) { throw trial.failure("more is acknowledged than is there") }
      }
    }
    disk.set(SimulatedDisk.Faults())
    try writer.ensure(.synced)
    for seq in seq..<seq + 20 { try writer.append(trial.known.event(seq)) }
    try writer.close()
    _ = try trial.check(
      CrashTrial.path, on: disk, atLeast: seq + 19, atMost: seq + 19, isClean: true)
    return 1
  }

  /// A sync fails once and then "succeeds": later syncs acknowledge nothing.
  private static func failedSync(_ seed: UInt64) throws -> Int {
    var whole = CrashTrial(seed: seed)
    let syncs = whole.record().disk.syncs
    var random = SplitMix64(seed: ~seed)
    for failing in 1...syncs {
      var trial = CrashTrial(seed: seed)
      trial.faults.failingSyncs = [failing]
      let end = trial.record()
      // How often the log's thread syncs depends on time as well.
      if end.disk.syncs >= failing, end.error == nil {
        throw trial.failure("sync \(failing) failed without an error")
      }
      for _ in 0..<3 {
        let disk = end.disk.afterPowerLoss(&random)
        try trial.recoverAndCheck(disk, atLeast: end.synced, atMost: end.appended)
      }
      try trial.recoverAndCheck(end.disk.afterKill(), atLeast: end.written, atMost: end.appended)
    }
    return syncs
  }

  /// A crash at every step of a recovery: the next recovery has the same result.
  private static func crashInRecovery(_ seed: UInt64) throws -> Int {
    var whole = CrashTrial(seed: seed)
    let calls = whole.record().disk.calls
    var random = SplitMix64(seed: ~seed)
    var trial = CrashTrial(seed: seed)
    trial.faults.crashAt = Int.random(in: 1...calls, using: &random)
    let end = trial.record()
    let crashed =
      (Bool.random(using: &random) ? end.disk.afterKill() : end.disk.afterPowerLoss(&random)).settled()
    let straight = crashed.afterKill()
    guard let recovery = try? LogRecovery.recover(CrashTrial.path, in: straight),
      let log = recovery.logs.first, log.firstSeq == 1
    else { return 0 }
    let count = log.nextSeq - 1
    for step in 1...straight.calls {
      let disk = crashed.afterKill()
      var faults = SimulatedDisk.Faults()
      faults.crashAt = step
      disk.set(faults)
      _ = try? LogRecovery.recover(CrashTrial.path, in: disk)
      for after in [disk.afterKill(), disk.afterPowerLoss(&random)] {
        _ = try LogRecovery.recover(CrashTrial.path, in: after)
        try trial.checkNothingWasDeleted(crashed.files, after.files)
        for (name, bytes) in straight.files where !name.hasSuffix(".torn") {
          if after.files[name] != bytes { throw trial.failure("crash at step \(step): \(name) is another") }
        }
        try trial.recoverAndCheck(after, atLeast: count, atMost: count)
      }
    }
    return straight.calls
  }

  /// A crash while a log is opened again and appended to: the events in it stay.
  private static func crashInAppend(_ seed: UInt64) throws -> Int {
    var trial = CrashTrial(seed: seed)
    let first = trial.record()
    let count = first.appended
    var random = SplitMix64(seed: ~seed)
    var trials = 0
    for step in 1...200 {
      let disk = first.disk.afterKill().settled()
      var faults = SimulatedDisk.Faults()
      faults.crashAt = step
      disk.set(faults)
      var synced = count
      var isDone = true
      do {
        let writer = try LogWriter(appendingTo: CrashTrial.path, in: disk, options: trial.options)
        for seq in count + 1...count + 20 { try writer.append(trial.known.event(seq)) }
        do { try writer.close() } catch { isDone = false }
        synced = writer.seq(.synced)
      } catch { isDone = false }
      trials += 1
      try trial.recoverAndCheck(disk.afterPowerLoss(&random), atLeast: synced, atMost: count + 20)
      if isDone { break }
    }
    return trials
  }

  /// A crash at every step of a compaction in place: the old log is whole under its old or its new name, or the new
  /// log is.
  private static func crashInCompaction(_ seed: UInt64) throws -> Int {
    var trial = CrashTrial(seed: seed)
    trial.options.segmentBytes = nil
    let first = trial.record()
    let old = "/logs/run.old.evlog"
    let original = first.disk.bytes(CrashTrial.path)
    var random = SplitMix64(seed: ~seed)
    var trials = 0
    let straight = first.disk.afterKill()
    _ = try LogCompaction.replace(CrashTrial.path, keepingOldAs: old, in: straight)
    // The last calls rename files.
    let steps = straight.calls - 8...straight.calls
    let early = (0..<6).map { _ in Int.random(in: 1..<steps.lowerBound, using: &random) }
    for step in early + Array(steps) {
      let disk = first.disk.afterKill().settled()
      var faults = SimulatedDisk.Faults()
      faults.crashAt = step
      disk.set(faults)
      _ = try? LogCompaction.replace(CrashTrial.path, keepingOldAs: old, in: disk)
      for after in [disk.afterKill()] + disk.everyLossOfNames() {
        let files = after.files
        if files[CrashTrial.path] != original, files[old] != original {
          throw trial.failure("crash at step \(step): the log as it was is gone, of \(files.keys.sorted())")
        }
        for path in [CrashTrial.path, old] where files[path] != nil {
          let count = first.appended
          _ = try trial.check(path, on: after, atLeast: count, atMost: count, isClean: true)
        }
        trials += 1
      }
    }
    return trials
  }

  /// A log cut off at any byte: the whole blocks before it are kept, and the log can be appended to.
  private static func cuts(_ seed: UInt64) throws -> Int {
    var trial = CrashTrial(seed: seed)
    trial.options.segmentBytes = nil
    let whole = trial.record()
    let bytes = whole.disk.bytes(CrashTrial.path) ?? []
    let blocks = try LogReader(
      file: SegmentSet(CrashTrial.path, in: whole.disk), path: CrashTrial.path, scanned: true
    ).blocks
    var random = SplitMix64(seed: ~seed)
    for _ in 0..<20 {
      let cut = Int.random(in: 0...bytes.count, using: &random)
      let disk = SimulatedDisk()
      disk.put(Array(bytes[..<cut]), at: CrashTrial.path)
      let kept = blocks.last { $0.endOffset <= UInt64(cut) }.map { $0.endSeq - 1 } ?? 0
      try trial.recoverAndCheck(disk, atLeast: kept, atMost: kept)
    }
    return 20
  }

  /// A flipped bit anywhere: no event is silently wrong, and what is saved lacks one block at most.
  private static func flips(_ seed: UInt64) throws -> Int {
    var trial = CrashTrial(seed: seed)
    trial.options.segmentBytes = nil
    let whole = trial.record()
    let bytes = whole.disk.bytes(CrashTrial.path) ?? []
    var random = SplitMix64(seed: ~seed)
    for _ in 0..<20 {
      var flipped = bytes
      flipped[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      let disk = SimulatedDisk()
      disk.put(flipped, at: CrashTrial.path)
      var read: UInt64 = 0
      var isReported = false
      do {
        let log = try LogReader(file: SegmentSet(CrashTrial.path, in: disk), path: CrashTrial.path)
        try log.forEachEvent { event in
          read += 1
          if event != trial.known.event(read) { throw trial.failure("event \(read) is silently wrong") }
        }
        isReported = !log.isClean
      } catch let error as TrialFailure { throw error } catch { isReported = true }
      if read < whole.appended, !isReported { throw trial.failure("only \(read) events, and no error") }
      let recovery = try LogRecovery.recover(CrashTrial.path, in: disk)
      var saved: UInt64 = 0
      for log in recovery.logs {
        let reader = try LogReader(file: SegmentSet(log.path, in: disk), path: log.path)
        try reader.forEachEvent { event in
          saved += 1
          if event != trial.known.event(event.seq) {
            throw trial.failure("event \(event.seq) was saved wrong")
          }
        }
      }
      if saved + UInt64(trial.options.blockEvents) < whole.appended {
        throw trial.failure("\(saved) of \(whole.appended) events were saved")
      }
      if saved < whole.appended, recovery.lost.isEmpty { throw trial.failure("lost events are not named") }
    }
    return 20
  }
}
