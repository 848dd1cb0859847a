import SystemPackage

extension LogOutput {
  /// Goes on in a new file, and removes files that are not to be kept. The old one was synced, or given up: then the
  /// name of the new one need not be synced either.
  mutating func beginSegment(time: UInt64, isSynced: Bool) throws(LogError) {
    guard var rotation else { return }
    let next = LogPath(path).segment(rotation.number + 1)
    let file = try patiently(next) { () throws(Errno) in
      try rotation.fileSystem.create(next, replacing: false)
    }
    try patiently(next) { () throws(Errno) in
      do throws(Errno) { try rotation.fileSystem.syncName(of: next) } catch { if isSynced { throw error } }
    }
    rotation.next(after: offset, time: time)
    goOn(in: file)
    while let old = rotation.takeOld(time: time) {
      // One that cannot be removed stays, and is not looked at again.
      try? rotation.fileSystem.remove(LogPath(path).segment(old))
    }
    self.rotation = rotation
  }

  /// Waits while the disk is full.
  private func patiently<T>(_ path: String, _ body: () throws(Errno) -> T) throws(LogError) -> T {
    var isStalled = false
    while true {
      do throws(Errno) {
        let result = try body()
        if isStalled { patience?.end() }
        return result
      } catch {
        let failure = LogError(creating: path, error)
        guard error.isFullDisk, let patience, patience.wait(failure) else { throw failure }
        isStalled = true
      }
    }
  }
}
