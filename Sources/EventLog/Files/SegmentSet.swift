import SystemPackage

/// The files of a log, concatenated, as one file for reading.
///
/// New segments are found whenever the size is read. A file between two of the log's own files counts as a
/// segment even if its header cannot be read, so that its events count as lost.
final class SegmentSet: LogFile {
  /// One file of the set.
  struct Part: Sendable {
    var number: Int
    var file: any LogFile
    /// Its offset in the concatenation.
    var base: UInt64
    var size: UInt64
  }

  private let path: LogPath
  private let fileSystem: any LogFileSystem
  private let state: Lock<[Part]>

  /// Opens the set with this first file, which may be the only one. If the first file does not exist, the set
  /// begins with the earliest segment.
  init(_ path: String, in fileSystem: any LogFileSystem) throws(Errno) {
    self.path = LogPath(path)
    self.fileSystem = fileSystem
    state = Lock([])
    try refresh()
  }

  /// The files at the time when the size was last read.
  var parts: [Part] { state.withLock { $0 } }

  /// Looks for new files and new sizes.
  private func refresh() throws(Errno) {
    try state.withLock { parts throws(Errno) in
      let known = parts.last?.number ?? 0
      let firstOpen = max(0, parts.count - 1)
      var salt: UInt64?
      for part in parts {
        salt = Self.salt(of: part.file)
        if salt != nil { break }
      }
      for (number, file) in try found(after: known, salt: salt) {
        parts.append(Part(number: number, file: file, base: 0, size: 0))
      }
      var base: UInt64 = 0
      for index in parts.indices {
        // Only the last file grows.
        if index >= firstOpen { parts[index].size = try parts[index].file.size() }
        parts[index].base = base
        base += parts[index].size
      }
    }
  }

  /// The files of this log with higher numbers, in order.
  private func found(after known: Int, salt: UInt64?) throws(Errno) -> [(Int, any LogFile)] {
    var numbers: [Int] = []
    // If the directory cannot be listed, the set consists of this file only.
    let names = (try? fileSystem.names(beside: path)) ?? []
    // Most names in a folder of logs are too short for a further file, whose name has a dot and four digits
    // more.
    let least = path.name.utf8.count + 5
    for name in names where name.utf8.count >= least {
      if let number = path.segmentNumber(ofName: name), number > max(known, 1) { numbers.append(number) }
    }
    var files: [(Int, any LogFile)] = []
    var salt = salt
    if known == 0 {
      do throws(Errno) {
        let file = try fileSystem.open(path.path)
        salt = Self.salt(of: file)
        files.append((1, file))
      } catch {
        if error != .noSuchFileOrDirectory || numbers.isEmpty { throw error }
      }
    }
    var kept = files.count
    for number in numbers.sorted() {
      guard let file = try? fileSystem.open(path.segment(number)) else { continue }
      let own = Self.salt(of: file)
      if salt == nil { salt = own }
      // A file of another log ends the set. An unreadable file belongs to it if a file of this log follows.
      if let own, own != salt { continue }
      files.append((number, file))
      if own != nil { kept = files.count }
    }
    return Array(files[..<kept])
  }

  /// The salt of the first block of a file, if that block is whole.
  static func salt(of file: any LogFile) -> UInt64? {
    guard let size = try? file.size(), let zstd = ZstdDecompressor() else { return nil }
    var window = FileWindow(file, path: "", fileSize: size)
    guard case .data(let compressedSize, let contentSize)? = try? ZstdFrame.find(at: 0, in: &window),
      let frame = try? window.bytes(at: 0, count: compressedSize),
      let payload = try? zstd.content(of: frame, size: contentSize),
      let prefix = try? BlockPrefix(checking: payload), prefix.kind == BlockKind.header
    else { return nil }
    return prefix.salt
  }

  // MARK: Reading as one file

  func size() throws(Errno) -> UInt64 {
    try refresh()
    return state.withLock { $0.last.map { $0.base + $0.size } ?? 0 }
  }

  func read(_ count: Int, at offset: UInt64) throws(Errno) -> [UInt8] {
    let part = state.withLock { parts in
      parts.last { $0.base <= offset && (offset < $0.base + $0.size || $0.number == parts.last?.number) }
    }
    guard let part else { return [] }
    let isLast = state.withLock { $0.last?.number == part.number }
    let left = isLast ? UInt64(count) : min(UInt64(count), part.base + part.size - offset)
    return try part.file.read(Int(left), at: offset - part.base)
  }

  func nextData(from offset: UInt64) throws(Errno) -> UInt64? {
    for part in parts where offset < part.base + part.size {
      let start = max(offset, part.base)
      if let found = try part.file.nextData(from: start - part.base) { return part.base + found }
    }
    return nil
  }

  /// A writer has only the last file locked.
  func hasWriter() -> Bool? { parts.last?.file.hasWriter() }

  func write(_ bytes: [UInt8], from index: Int, at offset: UInt64) throws(Errno) -> Int {
    throw .badFileDescriptor
  }

  func sync() throws(Errno) { throw .badFileDescriptor }

  func close() throws(Errno) {
    for part in parts { try part.file.close() }
  }
}

extension LogPath {
  /// The size of all files of this log in bytes; 0 if none can be read. Cost: reads the beginning of each
  /// file.
  package func byteCount(in fileSystem: any LogFileSystem) -> UInt64 {
    guard let set = try? SegmentSet(path, in: fileSystem) else { return 0 }
    defer { try? set.close() }
    return set.parts.last.map { $0.base + $0.size } ?? 0
  }
}
