import EventLog
import ReplayAnalysis
import SystemPackage

/// A hidden folder beside the tables, in which new folders are written before they replace others. It is
/// removed with this object. If the process is killed, the next process removes it.
///
///     DIR/.writing-1234567890abcdef        new folders, or after an exchange the old ones
///     DIR/.writing-1234567890abcdef/old    old folders, on a file system that cannot exchange names
///     DIR/.writing-1234567890abcdef/undo   exists if a folder in old could not be put back
///     DIR/.writing-1234567890abcdef.lock   locked while the process runs
final class StagingFolder {
  let path: String
  /// The folder of the tables.
  let home: String
  private let lock: any LogFile
  private let moves: FolderMoves
  /// Whether the folder contains something that exists nowhere else, and so must stay.
  private var isKept = false

  private static let prefix = ".writing-"
  private static let ending = ".lock"
  private static let old = "old"
  private static let undo = "undo"

  /// - Throws: `Errno` if the folder cannot be created.
  init(in home: String, _ moves: FolderMoves = FolderMoves()) throws {
    self.home = home
    self.moves = moves
    path = "\(home)/\(Self.prefix)\(String(UInt64.random(in: 1 << 60 ... .max), radix: 16))"
    lock = try SystemFileSystem().create(path + Self.ending, replacing: false)
    try Self.makeFolder(path)
  }

  deinit {
    if isKept { return }
    Self.remove(path)
  }

  /// Replaces folders: all of them, or none if one fails. On file systems that can exchange two names in one
  /// step, as on Linux and Apple platforms, each name always leads to the old folder or the new one. On
  /// others it may be missing for a moment.
  ///
  /// - Parameter names: The paths of the new folders in this one, and of those that they replace in the
  ///   folder of the tables.
  func publish(_ names: [(new: String, place: String)]) throws {
    try Platform.whileLocked(home) {
      // Old folders must be put back before new ones take their names.
      Self.removeUnlockedLeftovers(in: home, except: path)
      var done: [(new: String, name: String, had: Had)] = []
      var changed: Set<String> = []
      do {
        for (new, name) in names {
          let new = "\(path)/\(new)"
          changed.formUnion(try makePlace(LogPath(name).directory))
          try moves.sync(new)
          done.append((new, name, try swap(new, name)))
        }
      } catch {
        for (new, name, had) in done.reversed() { undo(new, name, had) }
        throw error
      }
      for folder in changed.sorted() { try moves.sync(folder) }
    }
  }

  /// Moves the files in these folders to the folders of the same names in that of the tables. Each file is
  /// moved in one step, and replaces an existing one.
  ///
  /// - Parameter after: Called with the files' paths in the folder of the tables, before another process can
  ///   change them.
  func publishFiles(of folders: [String], after: (Set<String>) -> Void = { _ in }) throws {
    try Platform.whileLocked(home) {
      var placed: Set<String> = []
      var changed: Set<String> = []
      for folder in folders {
        changed.formUnion(try makePlace(folder))
        for name in try SystemFileSystem().names(in: "\(path)/\(folder)") {
          try moves.rename("\(path)/\(folder)/\(name)", "\(home)/\(folder)/\(name)")
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

  /// Puts back what processes that were killed had moved, and removes their folders.
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
      // If putting back fails, the folder stays, so that the next process tries again.
      if (try? putBack(from: path, in: home)) != nil { remove(path) }
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
