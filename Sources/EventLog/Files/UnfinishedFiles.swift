import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The files that are being written, so that a signal handler can remove them before the process ends.
///
/// Each slot of a table holds the address of a name. The caller that takes the address out of the slot owns the name:
/// the signal handler, which frees nothing, or the thread that has finished the file.
package enum UnfinishedFiles {
  /// The most names that are in the table at a time; the handler does not know of further files.
  private static let slotsMax = 64

  private struct Slot: ~Copyable {
    let address = Atomic<UInt>(0)
  }

  private nonisolated(unsafe) static let slots = {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: slotsMax)
    for index in 0..<slotsMax { (slots + index).initialize(to: Slot()) }
    return slots
  }()

  /// Allocates the table in advance, because the handler must not allocate.
  package static func prepare() { _ = slots }

  /// Adds a file before it is created, and returns its slot; nil if no slot is free.
  static func add(_ path: String) -> Int? {
    guard let name = strdup(path.cName) else { return nil }
    for index in 0..<slotsMax {
      let (isTaken, _) = slots[index].address.compareExchange(
        expected: 0, desired: UInt(bitPattern: name), ordering: .sequentiallyConsistent)
      if isTaken { return index }
    }
    free(name)
    return nil
  }

  /// Removes the file from a slot, because it has its final name now or is deleted.
  static func remove(_ slot: Int?) {
    guard let slot else { return }
    let address = slots[slot].address.exchange(0, ordering: .sequentiallyConsistent)
    free(UnsafeMutablePointer<CChar>(bitPattern: address))
  }

  /// Deletes the files. A signal handler may call it: it neither allocates nor locks.
  package static func deleteAll() {
    for index in 0..<slotsMax {
      let address = slots[index].address.exchange(0, ordering: .sequentiallyConsistent)
      if let name = UnsafePointer<CChar>(bitPattern: address) { unlink(name) }
    }
  }
}
