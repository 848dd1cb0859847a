import SystemPackage
import Synchronization

@testable import EventLog

/// A file in memory.
final class FuzzedFile: LogFile {
  private let storage: Mutex<[UInt8]>

  init(_ bytes: [UInt8]) { storage = Mutex(bytes) }

  var bytes: [UInt8] { storage.withLock { $0 } }

  func write(_ bytes: [UInt8], from index: Int, at offset: UInt64) -> Int {
    storage.withLock { all in
      let start = Int(offset)
      let end = start + bytes.count - index
      if all.count < end { all += Array(repeating: 0, count: end - all.count) }
      all.replaceSubrange(start..<end, with: bytes[index...])
      return bytes.count - index
    }
  }

  func read(_ count: Int, at offset: UInt64) -> [UInt8] {
    storage.withLock { all in
      // A reader may compute any offset from hostile bytes.
      let start = min(Int(clamping: offset), all.count)
      return Array(all[start..<min(start + min(count, all.count), all.count)])
    }
  }

  func size() -> UInt64 { storage.withLock { UInt64($0.count) } }
  func sync() {}

  func truncate(to size: UInt64) {
    storage.withLock { all in
      let size = Int(clamping: size)
      if size < all.count { all.removeSubrange(size...) }
    }
  }

  func close() {}
}
