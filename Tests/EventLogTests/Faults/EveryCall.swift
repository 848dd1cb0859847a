import LogGenerator
import SystemPackage

@testable import EventLog

/// The fault at one call of a recording.
private enum CallFault: CaseIterable {
  case ioError, fullOnce, interrupted, short, failedSync

  /// Whether the writer must continue as if nothing had happened, because any write may do this.
  var isHarmless: Bool { self == .interrupted || self == .short }

  func faults(at call: Int, sync: Int?) -> SimulatedDisk.Faults? {
    var faults = SimulatedDisk.Faults()
    switch self {
    case .ioError: faults.errors[call] = .ioError
    case .fullOnce: faults.errors[call] = .noSpace
    case .interrupted: faults.errors[call] = .interrupted
    case .short: faults.shortWrites = [call]
    case .failedSync:
      guard let sync else { return nil }
      faults.failingSyncs = [sync]
    }
    return faults
  }
}

extension Scenario {
  /// Recordings with one fault, for every kind of fault at every call, and with a disk that is full from
  /// every write on: no false acknowledgement, a valid prefix, and no loss once there is space again.
  static func everyCall(_ seed: UInt64) throws -> Int {
    var random = SplitMix64(seed: ~seed)
    var whole = Self.short(seed)
    let calls = whole.record().disk.trace
    var trials = 0
    var syncs = 0
    for (index, what) in calls.enumerated() {
      if what.hasPrefix("sync") { syncs += 1 }
      let isWrite = what.hasPrefix("write")
      for fault in CallFault.allCases where isWrite || fault != .short {
        let sync = what.hasPrefix("sync") ? syncs : nil
        guard let faults = fault.faults(at: index + 1, sync: sync) else { continue }
        var trial = Self.short(seed)
        trial.faults = faults
        let end = trial.record()
        // The log's thread syncs partly by time, so the calls of this run may differ slightly from those of
        // the first.
        let trace = end.disk.trace
        let isHarmless = fault.isHarmless && index < trace.count && trace[index].hasPrefix("write")
        if isHarmless, end.error != nil || end.synced != UInt64(trial.events) {
          throw trial.failure(
            "\(fault) at call \(index + 1), \(what): \(end.synced) synced, \(end.error as Any)")
        }
        if fault == .failedSync, let sync, end.disk.syncs >= sync, end.error == nil {
          throw trial.failure("\(what) failed without an error")
        }
        end.disk.set(SimulatedDisk.Faults())
        do {
          try trial.recoverAndCheck(end.disk.afterKill(), atLeast: end.written, atMost: end.appended)
          try trial.recoverAndCheck(
            end.disk.afterPowerLoss(&random), atLeast: end.synced, atMost: end.appended)
        } catch { throw TrialFailure(description: "\(fault) at call \(index + 1), \(what): \(error)") }
        trials += 1
      }
      if isWrite {
        try fullFrom(index + 1, Self.short(seed))
        trials += 1
      }
    }
    return trials
  }

  private static func short(_ seed: UInt64) -> CrashTrial {
    var trial = CrashTrial(seed: seed)
    trial.events = min(trial.events, 40)
    return trial
  }

  /// A disk that is full from a call on, until the writer accepts no more events; then there is space again.
  private static func fullFrom(_ call: Int, _ trial: CrashTrial) throws {
    let disk = SimulatedDisk()
    var faults = SimulatedDisk.Faults()
    faults.fullFrom = call
    disk.set(faults)
    guard let writer = try? LogWriter(creating: CrashTrial.path, in: disk, options: trial.options) else {
      return
    }
    var seq: UInt64 = 1
    while seq <= UInt64(trial.events), (try? writer.append(trial.known.event(seq))) != nil {
      seq += 1
      if seq % 10 == 0 { try? writer.ensure(.written) }
    }
    let log = try LogReader(file: SegmentSet(CrashTrial.path, in: disk), path: CrashTrial.path)
    if log.eventCount < writer.seq(.written) {
      throw trial.failure("full from call \(call): more is acknowledged")
    }
    disk.set(SimulatedDisk.Faults())
    try writer.ensure(.synced)
    for seq in seq..<seq + 20 { try writer.append(trial.known.event(seq)) }
    try writer.close()
    _ = try trial.check(CrashTrial.path, on: disk, atLeast: seq + 19, atMost: seq + 19, isClean: true)
  }
}
