import EventLog
import SystemPackage

/// A hidden folder beside tables, in which others are written before they take their place. It is gone with this object;
/// that of a process which was killed is removed by the next.
///
///     DIR/.writing-1234567890abcdef        folders that will take the place of others, or had it
///     DIR/.writing-1234567890abcdef/old    only on a file system without an exchange of names: what had the place
///     DIR/.writing-1234567890abcdef/undo   there where what is in old could not be put back
///     DIR/.writing-1234567890abcdef.lock   locked as long as the process runs
final class StagingFolder {
  let path: String
  /// The folder whose parts are replaced.
  let home: String
  private let lock: any LogFile
  private let moves: FolderMoves
  /// Whether something is in it that has no other place.
  private var isKept = false

  private static let prefix = ".writing-"
  private static let ending = ".lock"
  private static let old = "old"
  private static let undo = "undo"

  /// - Throws: `Errno` where the folder cannot be made.
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

  /// Puts folders in the place of others: all of them, or, where that fails, none. Each is the old one or the new at any
  /// time on file systems that exchange names in one step, as Linux's and Apple's do; on others it may be missing for a
  /// moment.
  ///
  /// - Parameter names: Where they are in this folder, and which place each takes in that of the tables.
  func publish(_ names: [(new: String, place: String)]) throws {
    try Platform.whileLocked(home) {
      // Before anything takes a place that something else has to go back to.
      Self.removeUnlockedLeftovers(in: home)
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

  /// Puts the files of folders in their places in others of these names, each in one step, whatever had its place.
  ///
  /// - Parameter after: Is called with their paths in the folder of the tables, before another process puts anything there.
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

  /// Makes a folder in that of the tables, with those above it that are missing.
  ///
  /// - Returns: The folders in which names are new or will be.
  private func makePlace(_ name: String) throws -> [String] {
    var changed = [home]
    for part in name.split(separator: "/") {
      let folder = "\(changed[changed.count - 1])/\(part)"
      if let error = Platform.makePrivateFolder(folder) { throw Errno(rawValue: error) }
      changed.append(folder)
    }
    return changed
  }

  /// What had a place before.
  private enum Had {
    case nothing
    /// It has the name of the new one.
    case exchanged
    /// It is in `old`.
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

  /// Lets the folder stay, for the next process to put back what is in `old`, whatever has its place now.
  private func keep() {
    isKept = true
    if !Platform.exists("\(path)/\(Self.undo)") {
      _ = try? SystemFileSystem().create("\(path)/\(Self.undo)", replacing: false)
    }
  }

  private static func makeFolder(_ path: String) throws {
    if let error = Platform.makePrivateFolders(path) { throw Errno(rawValue: error) }
  }

  // MARK: What others left

  /// Removes the folders of processes that were killed, and puts back first what these had taken from its place.
  static func removeLeftovers(in home: String) throws {
    try Platform.whileLocked(home) { removeUnlockedLeftovers(in: home) }
  }

  private static func removeUnlockedLeftovers(in home: String) {
    let files = SystemFileSystem()
    for name in (try? files.names(in: home)) ?? [] where name.hasPrefix(prefix) && name.hasSuffix(ending) {
      // The lock of a process that runs is not to be had. One that began just now has its lock and no folder yet.
      guard let lock = try? files.openToWrite("\(home)/\(name)") else { continue }
      let path = "\(home)/\(name.dropLast(ending.utf8.count))"
      // What has no other place is kept, for the next to try again.
      if (try? putBack(from: path, in: home)) != nil { remove(path) }
      try? lock.close()
    }
  }

  /// Puts back what a process took from its place and put nothing there instead, or wanted to put back.
  private static func putBack(from path: String, in home: String) throws {
    guard Platform.exists("\(path)/\(old)") else { return }
    // Names from the folder of the tables on: of a table, a day and a version.
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

  /// Removes a folder and all in it; a link is removed, and not what it leads to.
  private static func removeAll(_ path: String) {
    if (try? SystemFileSystem().remove(path)) != nil { return }
    for name in (try? SystemFileSystem().names(in: path)) ?? [] { removeAll("\(path)/\(name)") }
    Platform.removeFolder(path)
  }
}

/// How folders change places.
struct FolderMoves {
  /// Gives two each other's name in one step; false where that cannot be done.
  var exchange: (String, String) -> Bool = { Platform.exchange($0, $1) }
  /// Gives one another name.
  var rename: (String, String) throws -> Void = { try SystemFileSystem().rename($0, to: $1) }
  /// Returns when the names in a folder survive a loss of power.
  var sync: (String) throws -> Void = { try SystemFileSystem().syncDirectory($0) }
}
