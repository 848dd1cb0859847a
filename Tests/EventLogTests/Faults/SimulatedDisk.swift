import LogGenerator
import SystemPackage

@testable import EventLog

/// A file system in memory that fails where a test asks for it, and can lose power.
///
/// Bytes that were written and not synced are held in sectors of 512 bytes, each of which a power failure
/// keeps or loses by itself. A name that was created, changed or removed is lost with the power unless its
/// directory was synced; a rename happens completely or not at all. After a failed sync its sectors read as
/// written, and no later sync saves them.
final class SimulatedDisk: LogFileSystem {
  /// The faults, by the number of the call, from 1; every call of the interface counts.
  struct Faults: Sendable {
    /// The process dies at this call: neither it nor a later call does anything.
    var crashAt = Int.max
    /// These calls fail with these errors.
    var errors: [Int: Errno] = [:]
    /// Writes take at most this many bytes.
    var writeBytesMax = Int.max
    /// These calls, if they write, take one byte.
    var shortWrites: Set<Int> = []
    /// From this call on the disk is full.
    var fullFrom = Int.max
    /// A sync that fails, by the number of the sync.
    var failingSyncs: Set<Int> = []
    /// Syncs that do nothing and report success, as if the program had left them out.
    var skippedSyncs: Set<Int> = []
    /// The maximum number of bytes in all files together.
    var capacity = Int.max
  }

  struct Node: Sendable {
    var bytes: [UInt8] = []
    var durable: [UInt8] = []
    /// Sectors that were written since the last sync.
    var dirty: Set<Int> = []
    var isLocked = false
  }

  struct State: Sendable {
    var nodes: [Int: Node] = [:]
    var names: [String: Int] = [:]
    var durableNames: [String: Int] = [:]
    /// The changes of names since the directory was synced: from, to, and the file.
    var nameChanges: [(from: String?, to: String?, node: Int)] = []
    var faults = Faults()
    var calls = 0
    var syncs = 0
    var isDead = false
    /// The calls so far, to debug a failure.
    var trace: [String] = []
  }

  static let sector = 512

  let state: Lock<State>

  init(_ state: State = State()) { self.state = Lock(state) }

  var calls: Int { state.withLock { $0.calls } }
  var trace: [String] { state.withLock { $0.trace } }
  var syncs: Int { state.withLock { $0.syncs } }
  func set(_ faults: Faults) { state.withLock { $0.faults = faults } }
  func bytes(_ path: String) -> [UInt8]? {
    state.withLock { state in state.names[path].flatMap { state.nodes[$0]?.bytes } }
  }
  var files: [String: [UInt8]] {
    state.withLock { state in state.names.compactMapValues { state.nodes[$0]?.bytes } }
  }
  func put(_ bytes: [UInt8], at path: String) {
    state.withLock { state in
      let number = (state.nodes.keys.max() ?? 0) + 1
      state.nodes[number] = Node(bytes: bytes, durable: bytes)
      state.names[path] = number
      state.durableNames[path] = number
    }
  }

  /// The disk as the next process finds it after this one was killed.
  func afterKill() -> SimulatedDisk {
    var copy = state.withLock { $0 }
    for number in copy.nodes.keys { copy.nodes[number]?.isLocked = false }
    return SimulatedDisk(
      State(
        nodes: copy.nodes, names: copy.names, durableNames: copy.durableNames, nameChanges: copy.nameChanges))
  }

  /// The same, with all bytes on stable storage.
  func settled() -> SimulatedDisk {
    var copy = state.withLock { $0 }
    for (number, node) in copy.nodes {
      copy.nodes[number]?.durable = node.bytes
      copy.nodes[number]?.dirty = []
    }
    return SimulatedDisk(State(nodes: copy.nodes, names: copy.names, durableNames: copy.names))
  }

  /// The disk after a loss of power: each sector that was not synced may be there or not.
  func afterPowerLoss(_ random: inout SplitMix64) -> SimulatedDisk {
    let old = state.withLock { $0 }
    var new = State()
    for (number, node) in old.nodes.sorted(by: { $0.key < $1.key }) {
      var bytes = node.durable
      // The new length may have reached the disk or not.
      if Bool.random(using: &random) {
        if node.bytes.count < bytes.count {
          bytes.removeSubrange(node.bytes.count...)
        } else {
          bytes += Array(repeating: 0, count: node.bytes.count - bytes.count)
        }
      }
      let odds = [0, 50, 100][Int.random(in: 0..<3, using: &random)]
      for sector in node.dirty.sorted() where Int.random(in: 0..<100, using: &random) < odds {
        let start = sector * Self.sector
        let end = min(start + Self.sector, node.bytes.count)
        guard start < end else { continue }
        if bytes.count < end { bytes += Array(repeating: 0, count: end - bytes.count) }
        bytes.replaceSubrange(start..<end, with: node.bytes[start..<end])
      }
      new.nodes[number] = Node(bytes: bytes, durable: bytes)
    }
    new.names = old.durableNames
    for change in old.nameChanges where Bool.random(using: &random) {
      if let from = change.from, new.names[from] == change.node { new.names[from] = nil }
      if let to = change.to { new.names[to] = change.node }
    }
    new.durableNames = new.names
    return SimulatedDisk(new)
  }

  /// The disk after a power failure, once for every combination of changes of names that reached it or did
  /// not; of the bytes that were not synced, all are there, or none.
  func everyLossOfNames() -> [SimulatedDisk] {
    let old = state.withLock { $0 }
    return (0..<2 << old.nameChanges.count).map { choice in
      var new = State()
      for (number, node) in old.nodes {
        let bytes = choice & 1 == 0 ? node.durable : node.bytes
        new.nodes[number] = Node(bytes: bytes, durable: bytes)
      }
      new.names = old.durableNames
      for (index, change) in old.nameChanges.enumerated() where choice >> (index + 1) & 1 == 1 {
        if let from = change.from, new.names[from] == change.node { new.names[from] = nil }
        if let to = change.to { new.names[to] = change.node }
      }
      new.durableNames = new.names
      return SimulatedDisk(new)
    }
  }

  // MARK: Calls

  fileprivate func call<T>(
    _ what: String, _ body: (inout State) throws(Errno) -> T
  ) throws(Errno) -> T {
    try state.withLock { state throws(Errno) in
      if state.isDead { throw .badAddress }
      state.calls += 1
      state.trace.append(what)
      if state.calls >= state.faults.crashAt {
        state.isDead = true
        throw .badAddress
      }
      if let error = state.faults.errors[state.calls] { throw error }
      return try body(&state)
    }
  }

  func create(_ path: String, replacing: Bool) throws(Errno) -> any LogFile {
    let number = try call("create \(path)") { state throws(Errno) in
      if let number = state.names[path] {
        if !replacing { throw .fileExists }
        if state.nodes[number]?.isLocked == true { throw .wouldBlock }
        state.nodes[number]?.isLocked = true
        state.nodes[number]?.bytes = []
        return number
      }
      let number = (state.nodes.keys.max() ?? 0) + 1
      state.nodes[number] = Node(isLocked: true)
      state.names[path] = number
      state.nameChanges.append((nil, path, number))
      return number
    }
    return SimulatedFile(self, number, isLocked: true)
  }

  func open(_ path: String) throws(Errno) -> any LogFile {
    let number = try call("open \(path)") { state throws(Errno) in
      guard let number = state.names[path] else { throw .noSuchFileOrDirectory }
      return number
    }
    return SimulatedFile(self, number, isLocked: false)
  }

  func openToWrite(_ path: String) throws(Errno) -> any LogFile {
    let number = try call("open to write \(path)") { state throws(Errno) in
      guard let number = state.names[path] else { throw .noSuchFileOrDirectory }
      if state.nodes[number]?.isLocked == true { throw .wouldBlock }
      state.nodes[number]?.isLocked = true
      return number
    }
    return SimulatedFile(self, number, isLocked: true)
  }

  func rename(_ path: String, to newPath: String) throws(Errno) {
    try call("rename \(path) \(newPath)") { state throws(Errno) in
      guard let number = state.names.removeValue(forKey: path) else { throw .noSuchFileOrDirectory }
      state.names[newPath] = number
      state.nameChanges.append((path, newPath, number))
    }
  }

  func remove(_ path: String) throws(Errno) {
    try call("remove \(path)") { state throws(Errno) in
      guard let number = state.names.removeValue(forKey: path) else { throw .noSuchFileOrDirectory }
      state.nameChanges.append((path, nil, number))
    }
  }

  func names(in directory: String) throws(Errno) -> [String] {
    try call("list") { state in state.names.keys.map { LogPath($0).name } }
  }

  func identity(of path: String) throws(Errno) -> FileIdentity {
    try call("identity \(path)") { state throws(Errno) in
      guard let number = state.names[path] else { throw .noSuchFileOrDirectory }
      return FileIdentity(device: 0, number: UInt64(number))
    }
  }

  func syncDirectory(_ directory: String) throws(Errno) {
    try call("sync directory") { state throws(Errno) in
      state.syncs += 1
      if state.faults.failingSyncs.contains(state.syncs) { throw .ioError }
      if state.faults.skippedSyncs.contains(state.syncs) { return }
      state.durableNames = state.names
      state.nameChanges = []
    }
  }
}

/// A file of a ``SimulatedDisk``.
private final class SimulatedFile: LogFile {
  private let disk: SimulatedDisk
  private let number: Int
  private let isLocked: Bool

  init(_ disk: SimulatedDisk, _ number: Int, isLocked: Bool) {
    self.disk = disk
    self.number = number
    self.isLocked = isLocked
  }

  deinit { if isLocked { disk.state.withLock { $0.nodes[number]?.isLocked = false } } }

  func write(_ bytes: [UInt8], from index: Int, at offset: UInt64) throws(Errno) -> Int {
    try disk.call("write \(number) \(bytes.count - index) at \(offset)") { state throws(Errno) in
      let used = state.nodes.values.reduce(0) { $0 + $1.bytes.count }
      var node = state.nodes[number] ?? SimulatedDisk.Node()
      let start = Int(offset)
      if state.calls >= state.faults.fullFrom { throw .noSpace }
      let room = state.faults.capacity - used + max(0, node.bytes.count - start)
      if room <= 0 { throw .noSpace }
      let most = state.faults.shortWrites.contains(state.calls) ? 1 : state.faults.writeBytesMax
      let count = min(bytes.count - index, most, room)
      let end = start + count
      if node.bytes.count < end { node.bytes += Array(repeating: 0, count: end - node.bytes.count) }
      node.bytes.replaceSubrange(start..<end, with: bytes[index..<index + count])
      node.dirty.formUnion(start / SimulatedDisk.sector...max(start, end - 1) / SimulatedDisk.sector)
      state.nodes[number] = node
      return count
    }
  }

  func read(_ count: Int, at offset: UInt64) throws(Errno) -> [UInt8] {
    try disk.call("read \(number)") { state in
      let bytes = state.nodes[number]?.bytes ?? []
      let start = min(Int(offset), bytes.count)
      return Array(bytes[start..<min(start + count, bytes.count)])
    }
  }

  func size() throws(Errno) -> UInt64 {
    try disk.call("size \(number)") { state in UInt64(state.nodes[number]?.bytes.count ?? 0) }
  }

  func sync() throws(Errno) {
    try disk.call("sync \(number)") { state throws(Errno) in
      state.syncs += 1
      if state.faults.failingSyncs.contains(state.syncs) {
        // The system now considers the pages clean, and never writes them.
        state.nodes[number]?.dirty = []
        throw .ioError
      }
      if state.faults.skippedSyncs.contains(state.syncs) { return }
      guard var node = state.nodes[number] else { return }
      if node.durable.count > node.bytes.count { node.durable.removeSubrange(node.bytes.count...) }
      if node.durable.count < node.bytes.count {
        node.durable += Array(repeating: 0, count: node.bytes.count - node.durable.count)
      }
      for sector in node.dirty {
        let start = sector * SimulatedDisk.sector
        let end = min(start + SimulatedDisk.sector, node.bytes.count)
        if start < end { node.durable.replaceSubrange(start..<end, with: node.bytes[start..<end]) }
      }
      node.dirty = []
      state.nodes[number] = node
    }
  }

  func truncate(to size: UInt64) throws(Errno) {
    try disk.call("truncate \(number) to \(size)") { state in
      guard var node = state.nodes[number], node.bytes.count > Int(size) else { return }
      node.bytes.removeSubrange(Int(size)...)
      state.nodes[number] = node
    }
  }

  func close() throws(Errno) {
    try disk.call("close \(number)") { state in
      if isLocked { state.nodes[number]?.isLocked = false }
    }
  }
}
