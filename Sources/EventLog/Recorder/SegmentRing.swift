import Synchronization
import SystemPackage

// Segments in memory, and their pointers, are confined to this file.

/// A file system in memory for the segments of one log, which a signal handler can read.
///
/// The handler takes no lock and allocates nothing: it reads a table of slots, whose fields are atomics. Once
/// the handler has begun, no memory is freed.
final class SegmentRing: LogFileSystem, @unchecked Sendable {
  /// A segment as the handler reads it: its number (0 for none), and the address and size of its bytes.
  struct Slot: ~Copyable {
    let number = Atomic<UInt>(0)
    let address = Atomic<UInt>(0)
    let count = Atomic<UInt>(0)
    /// The allocated size in bytes; used only under the lock.
    var capacity = 0
  }

  static let slotsMax = 64

  let slots = UnsafeMutablePointer<Slot>.allocate(capacity: slotsMax)
  /// Set by the handler when it begins.
  let isFrozen = Atomic<Bool>(false)
  private let log: LogPath
  private let names = Lock<[String: Int]>([:])

  init(_ path: String) {
    log = LogPath(path)
    for index in 0..<Self.slotsMax { (slots + index).initialize(to: Slot()) }
  }

  deinit {
    for index in 0..<Self.slotsMax { free(index) }
    slots.deinitialize(count: Self.slotsMax)
    slots.deallocate()
  }

  func create(_ path: String, replacing: Bool) throws(Errno) -> any LogFile {
    try names.withLock { names throws(Errno) in
      if names[path] != nil { throw .fileExists }
      guard let number = log.segmentNumber(ofName: LogPath(path).name),
        let index = (0..<Self.slotsMax).first(where: { slots[$0].number.load(ordering: .relaxed) == 0 })
      else { throw .noSpace }
      names[path] = index
      slots[index].count.store(0, ordering: .relaxed)
      slots[index].number.store(UInt(number), ordering: .releasing)
      return RingFile(self, index)
    }
  }

  func open(_ path: String) throws(Errno) -> any LogFile {
    guard let index = names.withLock({ $0[path] }) else { throw .noSuchFileOrDirectory }
    return RingFile(self, index)
  }

  func openToWrite(_ path: String) throws(Errno) -> any LogFile { try open(path) }

  func rename(_ path: String, to newPath: String) throws(Errno) { throw .notSupported }

  func remove(_ path: String) throws(Errno) {
    names.withLock { names in
      guard !isFrozen.load(ordering: .acquiring), let index = names.removeValue(forKey: path) else { return }
      slots[index].number.store(0, ordering: .sequentiallyConsistent)
      free(index)
    }
  }

  func names(in directory: String) throws(Errno) -> [String] {
    names.withLock { $0.keys.map { LogPath($0).name } }
  }

  func identity(of path: String) throws(Errno) -> FileIdentity {
    guard let index = names.withLock({ $0[path] }) else { throw .noSuchFileOrDirectory }
    return FileIdentity(device: 0, number: UInt64(index))
  }

  func syncDirectory(_ directory: String) throws(Errno) {}

  /// The bytes of all segments, the oldest first.
  var contents: [[UInt8]] {
    names.withLock { names in
      names.values.sorted {
        slots[$0].number.load(ordering: .relaxed) < slots[$1].number.load(ordering: .relaxed)
      }.map { bytes($0, 0, .max) }
    }
  }

  // MARK: The bytes of a slot

  fileprivate func size(_ index: Int) -> Int { Int(slots[index].count.load(ordering: .acquiring)) }

  fileprivate func read(_ index: Int, _ offset: Int, _ count: Int) -> [UInt8] {
    names.withLock { _ in bytes(index, offset, count) }
  }

  private func bytes(_ index: Int, _ offset: Int, _ count: Int) -> [UInt8] {
    let size = size(index)
    guard offset < size, let base = pointer(index) else { return [] }
    return Array(UnsafeRawBufferPointer(start: base + offset, count: min(count, size - offset)))
  }

  fileprivate func write(_ index: Int, _ bytes: ArraySlice<UInt8>, at offset: Int) {
    names.withLock { _ in
      let end = offset + bytes.count
      if end > slots[index].capacity { grow(index, to: max(end, slots[index].capacity * 2, 1 << 16)) }
      guard let base = pointer(index) else { return }
      bytes.withUnsafeBytes {
        UnsafeMutableRawBufferPointer(start: base + offset, count: $0.count).copyMemory(from: $0)
      }
      if end > size(index) { slots[index].count.store(UInt(end), ordering: .releasing) }
    }
  }

  private func pointer(_ index: Int) -> UnsafeMutableRawPointer? {
    UnsafeMutableRawPointer(bitPattern: slots[index].address.load(ordering: .acquiring))
  }

  private func grow(_ index: Int, to capacity: Int) {
    let old = pointer(index)
    let new = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    if let old { new.copyMemory(from: old, byteCount: size(index)) }
    slots[index].address.store(UInt(bitPattern: new), ordering: .sequentiallyConsistent)
    slots[index].capacity = capacity
    if !isFrozen.load(ordering: .sequentiallyConsistent) { old?.deallocate() }
  }

  private func free(_ index: Int) {
    let old = pointer(index)
    slots[index].address.store(0, ordering: .sequentiallyConsistent)
    slots[index].count.store(0, ordering: .sequentiallyConsistent)
    slots[index].capacity = 0
    old?.deallocate()
  }
}

/// A segment of a ring.
private final class RingFile: LogFile {
  private let ring: SegmentRing
  private let index: Int

  init(_ ring: SegmentRing, _ index: Int) {
    self.ring = ring
    self.index = index
  }

  func write(_ bytes: [UInt8], from start: Int, at offset: UInt64) throws(Errno) -> Int {
    ring.write(index, bytes[start...], at: Int(clamping: offset))
    return bytes.count - start
  }

  func read(_ count: Int, at offset: UInt64) throws(Errno) -> [UInt8] {
    ring.read(index, Int(clamping: offset), count)
  }

  func size() throws(Errno) -> UInt64 { UInt64(ring.size(index)) }
  func sync() throws(Errno) {}
  func close() throws(Errno) {}
}
