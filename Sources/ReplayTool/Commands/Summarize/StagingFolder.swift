import EventLog
import SystemPackage

/// A hidden folder beside tables, in which others are written before they take their place. It is gone with this object;
/// that of a process which was killed is removed by the next.
///
///     DIR/.writing-1234567890abcdef        folders that will take the place of others, or had it
///     DIR/.writing-1234567890abcdef/old    only on a file system without an exchange of names: what had the place
///     DIR/.writing-1234567890abcdef.lock   locked as long as the process runs
final class StagingFolder {
  let path: String
  /// The folder whose parts are replaced.
  private let home: String
  private let lock: any LogFile
  private let moves: FolderMoves
  /// Whether something is in it that has no other place.
  private var isKept = false

  private static let prefix = ".writing-"
  private static let ending = ".lock"
  private static let old = "old"

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
    var done: [(new: String, place: String, had: Had)] = []
    do {
      for (new, place) in names {
        let (new, name, place) = ("\(path)/\(new)", place, "\(home)/\(place)")
        try Self.makeFolder(LogPath(place).directory)
        try SystemFileSystem().syncDirectory(new)
        done.append((new, place, try swap(new, place, old: "\(path)/\(Self.old)/\(name)")))
      }
    } catch {
      for (new, place, had) in done.reversed() { undo(new, place, had) }
      throw error
    }
    for (_, place, _) in done { try SystemFileSystem().syncDirectory(LogPath(place).directory) }
  }

  /// Puts the files of a folder in their places in another of that name, each in one step, whatever had its place.
  ///
  /// - Returns: Their names.
  func publishFiles(of folder: String) throws -> [String] {
    let (new, place) = ("\(path)/\(folder)", "\(home)/\(folder)")
    try Self.makeFolder(place)
    let names = try SystemFileSystem().names(in: new)
    for name in names { try moves.rename("\(new)/\(name)", "\(place)/\(name)") }
    try SystemFileSystem().syncDirectory(place)
    return names
  }

  /// What had a place before.
  private enum Had {
    case nothing
    /// It has the name of the new one.
    case exchanged
    /// It is here.
    case moved(String)
  }

  /// - Parameter old: Where what has the place goes, if the two cannot exchange their names.
  private func swap(_ new: String, _ place: String, old: String) throws -> Had {
    guard Platform.exists(place) else {
      try moves.rename(new, place)
      return .nothing
    }
    if moves.exchange(new, place) { return .exchanged }
    try Self.makeFolder(LogPath(old).directory)
    try moves.rename(place, old)
    do { try moves.rename(new, place) } catch {
      putBack(old, place)
      throw error
    }
    return .moved(old)
  }

  private func undo(_ new: String, _ place: String, _ had: Had) {
    switch had {
    case .nothing: try? moves.rename(place, new)
    case .exchanged: if !moves.exchange(new, place) { isKept = true }
    case .moved(let old):
      do { try moves.rename(place, new) } catch { isKept = true }
      putBack(old, place)
    }
  }

  /// Where that fails too, the folder stays, and the next process puts it back.
  private func putBack(_ old: String, _ place: String) {
    do { try moves.rename(old, place) } catch { isKept = true }
  }

  private static func makeFolder(_ path: String) throws {
    if let error = Platform.makePrivateFolders(path) { throw Errno(rawValue: error) }
  }

  // MARK: What others left

  /// Removes the folders of processes that were killed, and puts back first what these had taken from its place.
  static func removeLeftovers(in home: String) {
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

  /// Puts back what a process took from its place and put nothing there instead.
  private static func putBack(from path: String, in home: String) throws {
    guard Platform.exists("\(path)/\(old)") else { return }
    // Names from the folder of the tables on: of a table, a day and a version.
    var names = [""]
    for _ in 0..<3 {
      names = try names.flatMap { name in
        try SystemFileSystem().names(in: "\(path)/\(old)\(name)").map { "\(name)/\($0)" }
      }
    }
    for name in names where !Platform.exists(home + name) {
      try makeFolder(LogPath(home + name).directory)
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
}
