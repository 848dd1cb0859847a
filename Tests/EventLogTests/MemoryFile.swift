import Foundation
import SystemPackage

@testable import EventLog

/// A file in memory with injected faults.
final class MemoryFile: LogFile {
  struct Faults: Sendable {
    /// The most bytes that one write takes.
    var writeBytesMax = Int.max
    /// One call in this many is interrupted.
    var interruptEvery = 0
    /// A write beyond this size of the file finds the disk full.
    var capacity = Int.max
    /// A write beyond this size of the file fails.
    var brokenFrom = Int.max
    /// This many syncs fail, from the first on.
    var failingSyncs = 0
    /// How long a write takes.
    var writeSeconds = 0.0
  }

  fileprivate struct State {
    var bytes: [UInt8]
    var faults = Faults()
    var calls = 0
    var syncs = 0
    var isClosed = false
  }

  private let state: Lock<State>

  init(_ bytes: [UInt8] = [], _ faults: Faults = Faults()) {
    state = Lock(State(bytes: bytes, faults: faults))
  }

  var bytes: [UInt8] { state.withLock { $0.bytes } }
  var syncs: Int { state.withLock { $0.syncs } }
  var isClosed: Bool { state.withLock { $0.isClosed } }
  func set(_ bytes: [UInt8]) { state.withLock { $0.bytes = bytes } }
  func set(_ faults: Faults) { state.withLock { $0.faults = faults } }

  func write(_ bytes: [UInt8], from index: Int, at offset: UInt64) throws(Errno) -> Int {
    let wait = state.withLock { $0.faults.writeSeconds }
    if wait > 0 { Thread.sleep(forTimeInterval: wait) }
    return try state.withLock { state throws(Errno) in
      try state.interrupt()
      let room = state.faults.capacity - Int(offset)
      if room <= 0 { throw .noSpace }
      if offset >= state.faults.brokenFrom { throw .ioError }
      let count = min(
        bytes.count - index, state.faults.writeBytesMax, room, state.faults.brokenFrom - Int(offset))
      let end = Int(offset) + count
      if state.bytes.count < end { state.bytes += Array(repeating: 0, count: end - state.bytes.count) }
      state.bytes.replaceSubrange(Int(offset)..<end, with: bytes[index..<index + count])
      return count
    }
  }

  func read(_ count: Int, at offset: UInt64) throws(Errno) -> [UInt8] {
    state.withLock { state in
      let start = min(Int(offset), state.bytes.count)
      return Array(state.bytes[start..<min(start + count, state.bytes.count)])
    }
  }

  func size() throws(Errno) -> UInt64 { state.withLock { UInt64($0.bytes.count) } }

  func sync() throws(Errno) {
    try state.withLock { state throws(Errno) in
      state.syncs += 1
      if state.syncs <= state.faults.failingSyncs { throw .ioError }
    }
  }

  func close() throws(Errno) { state.withLock { $0.isClosed = true } }
}

extension MemoryFile.State {
  fileprivate mutating func interrupt() throws(Errno) {
    calls += 1
    if faults.interruptEvery > 0, calls % faults.interruptEvery == 0 { throw .interrupted }
  }
}
