import EventLog
import ReplayAnalysis
import SystemPackage

/// A hidden folder beside the tables, in which new folders are written before they replace others. It is
/// removed with this object. If the process is killed, the next process removes it.
///
///     DIR/.writing-1234567890abcdef        new folders, or after an exchange the old ones
///     DIR/.writing-1234567890abcdef/old    old folders, on a file system that cannot exchange names
///     DIR/.writing-1234567890abcdef/undo   exists if a folder in old could not be put back
///     DIR/.writing-1234567890abcdef/names  exists while folders are replaced: which, and in what place
///     DIR/.writing-1234567890abcdef.lock   locked while the process runs
final class StagingFolder {
  let path: String
  /// The folder of the tables.
  let home: String
  private let lock: (any LogFile)?
  private let moves: FolderMoves
  /// Whether the folder contains something that exists nowhere else, and so must stay.
  private var isKept = false

  private static let prefix = ".writing-"
  private static let ending = ".lock"
  private static let old = "old"
  private static let undo = "undo"
  private static let names = "names"

  /// - Throws: `Errno` if the folder cannot be created.
  init(in home: String, _ moves: FolderMoves = FolderMoves()) throws {
    self.home = home
    self.moves = moves
    path = "\(home)/\(Self.prefix)\(String(UInt64.random(in: 1 << 60 ... .max), radix: 16))"
    lock = try SystemFileSystem().create(path + Self.ending, replacing: false)
    try Self.makeFolder(path)
  }

  /// Stands for the folder of a process that was killed, which the caller has locked.
  private init(of path: String, in home: String) {
    (self.path, self.home) = (path, home)
    moves = FolderMoves()
    lock = nil
    isKept = true
  }

  deinit {
    if isKept { return }
    Self.remove(path)
  }

  /// Replaces folders: all of them, or none if one fails. If the process is killed meanwhile, the next process replaces
  /// the rest. On file systems that can exchange two names in one step, as on Linux and Apple platforms, each name always
  /// leads to the old folder or the new one. On others it may be missing for a moment.
  ///
  /// - Parameter names: The paths of the new folders in this one, and of those that they replace in the folder of the
  ///   tables. Called while no other process changes the tables.
  func publish(_ names: () throws -> [(new: String, place: String)]) throws {
    try Platform.whileLocked(home) {
      // Folders that belong in their places must be there before new ones take their names.
      Self.removeUnlockedLeftovers(in: home, except: path)
      let names = try names()
      var done: [(new: String, name: String, had: Had)] = []
      var changed: Set<String> = []
      do {
        try note(names)
        for (new, name) in names {
          let new = "\(path)/\(new)"
          changed.formUnion(try makePlace(LogPath(name).directory))
          done.append((new, name, try swap(new, name)))
        }
      } catch {
        try? SystemFileSystem().remove("\(path)/\(Self.names)")
        for (new, name, had) in done.reversed() { undo(new, name, had) }
        throw error
      }
      for folder in changed.sorted() { try moves.sync(folder) }
      unmark(names.map(\.place))
    }
  }

  /// Replaces folders whose new ones are already known.
  func publish(_ names: [(new: String, place: String)]) throws { try publish { names } }

  /// Removes folders of the tables: each vanishes in one step, in this order.
  func discard(_ names: [String]) throws {
    try Platform.whileLocked(home) {
      for (number, name) in names.enumerated() where Platform.exists("\(home)/\(name)") {
        try moves.rename("\(home)/\(name)", "\(path)/discarded-\(number)")
        try moves.sync(LogPath("\(home)/\(name)").directory)
      }
    }
  }

  // MARK: What a process that is killed leaves to do

  /// The name of a file that only the new folders have, by which they can be told from those that they replace. Readers
  /// of tables ignore hidden files.
  private static func mark(of path: String) -> String { "/" + LogPath(path).name }

  /// Marks the new folders, and notes what is to be done with them.
  private func note(_ names: [(new: String, place: String)]) throws {
    for (new, _) in names {
      let mark = "\(path)/\(new)\(Self.mark(of: path))"
      _ = try SystemFileSystem().create(mark, replacing: true)
      try moves.sync("\(path)/\(new)")
    }
    let draft = try FileDescriptor.open(
      "\(path)/\(Self.names).new".filePath, .writeOnly, options: [.create, .truncate, .closeOnExec],
      permissions: [.ownerReadWrite])
    do {
      _ = try draft.writeAll(names.map { "\($0.new)\t\($0.place)\n" }.joined().utf8)
      if let error = Platform.sync(draft.rawValue) { throw Errno(rawValue: error) }
      try draft.close()
    } catch {
      try? draft.close()
      throw error
    }
    try moves.rename("\(path)/\(Self.names).new", "\(path)/\(Self.names)")
    try moves.sync(path)
  }

  private func unmark(_ places: [String]) {
    // From here on nothing is left to do. Otherwise a mark that is missing would be taken for a folder to replace.
    try? SystemFileSystem().remove("\(path)/\(Self.names)")
    for place in places { try? SystemFileSystem().remove("\(home)/\(place)\(Self.mark(of: path))") }
  }

  /// Replaces the folders that a process which was killed had not come to.
  private static func complete(_ path: String, in home: String) throws {
    guard Platform.exists("\(path)/\(names)") else { return }
    let dead = StagingFolder(of: path, in: home)
    let lines = try LineReader(path: "\(path)/\(names)", limit: 1 << 16)
    var places: [String] = []
    var changed: Set<String> = []
    while let line = try lines.next() {
      let parts = String(decoding: line, as: UTF8.self).split(separator: "\t").map(String.init)
      // A folder of tables may come from elsewhere, so nothing outside of it is touched.
      guard parts.count == 2, parts.allSatisfy({ !$0.split(separator: "/").contains("..") }) else { continue }
      places.append(parts[1])
      let mark = mark(of: path)
      guard !Platform.exists("\(home)/\(parts[1])\(mark)"), Platform.exists("\(path)/\(parts[0])\(mark)")
      else { continue }
      changed.formUnion(try dead.makePlace(LogPath(parts[1]).directory))
      _ = try dead.swap("\(path)/\(parts[0])", parts[1])
    }
    for folder in changed.sorted() { try dead.moves.sync(folder) }
    dead.unmark(places)
  }

  /// Moves the files in these folders to the folders of the same names in that of the tables. Each file is
  /// moved in one step, and replaces an existing one.
  ///
  /// - Parameter after: Called with the files' paths in the folder of the tables, before another process can
  ///   change them.
  func publishFiles(
    of folders: [String], in root: String = ".", after: (Set<String>) -> Void = { _ in }
  ) throws {
    try Platform.whileLocked(home) {
      var placed: Set<String> = []
      var changed: Set<String> = []
      for folder in folders {
        changed.formUnion(try makePlace(folder))
        let new = "\(path)/\(root)/\(folder)"
        for name in Platform.exists(new) ? try SystemFileSystem().names(in: new) : [] {
          try moves.rename("\(new)/\(name)", "\(home)/\(folder)/\(name)")
          placed.insert("\(folder)/\(name)")
        }
      }
      for folder in changed.sorted() { try moves.sync(folder) }
      after(placed)
    }
  }

  /// Creates a folder in that of the tables, with its missing parents.
  ///
  /// - Returns: The folders in which names were or will be added.
  private func makePlace(_ name: String) throws -> [String] {
    var changed = [home]
    for part in name.split(separator: "/") {
      let folder = "\(changed[changed.count - 1])/\(part)"
      if let error = Platform.makePrivateFolder(folder) { throw Errno(rawValue: error) }
      changed.append(folder)
    }
    return changed
  }

  /// What had the name before.
  private enum Had {
    case nothing
    /// A folder that now has the new folder's name.
    case exchanged
    /// A folder that was moved to `old`.
    case moved
  }

  private func swap(_ new: String, _ name: String) throws -> Had {
    let place = "\(home)/\(name)"
    guard Platform.exists(place) else {
      try moves.rename(new, place)
      return .nothing
    }
    if moves.exchange(new, place) { return .exchanged }
    let old = "\(path)/\(Self.old)/\(name)"
    try Self.makeFolder(LogPath(old).directory)
    try moves.rename(place, old)
    do { try moves.rename(new, place) } catch {
      do { try moves.rename(old, place) } catch { keep() }
      throw error
    }
    return .moved
  }

  private func undo(_ new: String, _ name: String, _ had: Had) {
    let (place, old) = ("\(home)/\(name)", "\(path)/\(Self.old)/\(name)")
    do {
      switch had {
      case .nothing: try? moves.rename(place, new)
      case .exchanged:
        if moves.exchange(new, place) { return }
        keep()
        try Self.makeFolder(LogPath(old).directory)
        try moves.rename(new, old)
      case .moved:
        try moves.rename(place, new)
        try moves.rename(old, place)
      }
    } catch { keep() }
  }

  /// Keeps the folder, so that the next process puts back what is in `old`, even if its name is taken.
  private func keep() {
    isKept = true
    if !Platform.exists("\(path)/\(Self.undo)") {
      _ = try? SystemFileSystem().create("\(path)/\(Self.undo)", replacing: false)
    }
  }

  private static func makeFolder(_ path: String) throws {
    if let error = Platform.makePrivateFolders(path) { throw Errno(rawValue: error) }
  }

  // MARK: Leftovers of other processes

  /// Completes what processes that were killed had begun, or puts back what they had moved, and removes their folders.
  static func removeLeftovers(in home: String) throws {
    try Platform.whileLocked(home) { removeUnlockedLeftovers(in: home) }
  }

  /// - Parameter own: The folder of the caller, whose lock another attempt would wait for, or would not even
  ///   see on a file system without locks.
  private static func removeUnlockedLeftovers(in home: String, except own: String? = nil) {
    let files = SystemFileSystem()
    for name in (try? files.names(in: home)) ?? [] where name.hasPrefix(prefix) && name.hasSuffix(ending) {
      let path = "\(home)/\(name.dropLast(ending.utf8.count))"
      if path == own { continue }
      // This fails if the process still runs. A process that has just started has a lock but no folder yet.
      guard let lock = try? files.openToWrite("\(home)/\(name)") else { continue }
      // If that fails, the folder stays, so that the next process tries again.
      let isDone: Void? = try? {
        try complete(path, in: home)
        try putBack(from: path, in: home)
      }()
      if isDone != nil { remove(path) }
      try? lock.close()
    }
  }

  /// Puts back folders whose place is empty, or all of them if the process had failed to put one back.
  private static func putBack(from path: String, in home: String) throws {
    guard Platform.exists("\(path)/\(old)") else { return }
    // Three levels of folders: table, day and version.
    var names = [""]
    for _ in 0..<3 {
      names = try names.flatMap { name in
        try SystemFileSystem().names(in: "\(path)/\(old)\(name)").map { "\(name)/\($0)" }
      }
    }
    let isUndone = Platform.exists("\(path)/\(undo)")
    for name in names where isUndone || !Platform.exists(home + name) {
      try makeFolder(LogPath(home + name).directory)
      if Platform.exists(home + name) {
        try makeFolder("\(path)/failed\(LogPath(name).directory)")
        try SystemFileSystem().rename(home + name, to: "\(path)/failed\(name)")
      }
      try SystemFileSystem().rename("\(path)/\(old)\(name)", to: home + name)
    }
  }

  private static func remove(_ path: String) {
    removeAll(path)
    try? SystemFileSystem().remove(path + ending)
  }

  /// Removes a folder and its contents. Links are removed without following them.
  private static func removeAll(_ path: String) {
    if (try? SystemFileSystem().remove(path)) != nil { return }
    for name in (try? SystemFileSystem().names(in: path)) ?? [] { removeAll("\(path)/\(name)") }
    Platform.removeFolder(path)
  }
}

/// The operations that replace folders; tests substitute them.
struct FolderMoves {
  /// Exchanges two names in one step; returns false if that is not possible.
  var exchange: (String, String) -> Bool = { Platform.exchange($0, $1) }
  /// Renames a file or a folder.
  var rename: (String, String) throws -> Void = { try SystemFileSystem().rename($0, to: $1) }
  /// Returns when the names in a folder are safe from a loss of power.
  var sync: (String) throws -> Void = { try SystemFileSystem().syncDirectory($0) }
}
