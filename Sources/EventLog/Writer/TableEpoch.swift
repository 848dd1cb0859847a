/// The period in which the staged ids of a writer are valid. It ends when the tables of paths and names are
/// full and start over, so that they do not grow with everything that was ever recorded.
///
/// Tables start over between two chunks. The appending threads drop their interned ids at once; the sealing
/// thread drops its definitions when the first chunk of the new epoch reaches it. An id that is kept
/// elsewhere carries the number of its epoch, and is renewed when that is over.
///
///     chunks     | a = app.x, set a | b = app.y, set b | a = app.y, set a | ...
///     epoch              17                 17                  18
struct TableEpoch {
  /// Distinguishes its ids from those of other epochs and other writers. It starts at a random number, and is
  /// never 0.
  private(set) var number = UInt32.random(in: 1 ... .max)
  /// The size in bytes at which tables are full, unless more than half of it is in use.
  private let leastSize: Int
  private var fullSize: Int
  private var renewed = 0

  /// - Parameter size: About how many bytes the definitions of paths and names may take.
  init(size: Int) {
    leastSize = size
    fullSize = size
  }

  /// The bytes that a definition takes in the tables beside its text.
  static let entrySize = 48

  /// Records that an id which a caller kept was defined again, and so is still in use.
  mutating func countRenewal(_ size: Int) { renewed += size }

  func isOver(at size: Int) -> Bool { size >= fullSize }

  /// Begins the next epoch. Its limit is at least twice the size that was renewed in this one, so that an app
  /// with many paths in use does not define them over and over.
  mutating func advance() {
    number = number == .max ? 1 : number + 1
    fullSize = max(leastSize, 2 * renewed)
    renewed = 0
  }
}

// MARK: Ids that callers keep

extension LogWriter {
  /// The id of a path in one writer, valid in its epoch.
  package struct LoggedPath: Hashable, Sendable {
    let staged: UInt32
    let epoch: UInt32
  }

  /// A name with its id in one writer, which is renewed as needed. A new one has no id yet.
  package struct LoggedName: Sendable {
    /// The name.
    package let text: String
    /// The last id of the name.
    fileprivate(set) var last = StagedName()

    /// Creates a name without an id.
    package init(_ text: String) { self.text = text }
  }
}

/// The staged id of a name, valid in its epoch. A new one is valid in no epoch.
struct StagedName: Sendable {
  var staged: UInt32 = 0
  var epoch: UInt32 = 0
}

extension LogWriter.LoggedName {
  /// The id of the name, which the stage renews if it is no longer valid. Cost: a comparison while it is
  /// valid.
  @inline(__always)
  mutating func id(in stage: inout Stage) throws(LogError) -> UInt32 {
    if last.epoch == stage.epoch { return last.staged }
    return try renew(in: &stage)
  }

  @inline(never)
  private mutating func renew(in stage: inout Stage) throws(LogError) -> UInt32 {
    let id = try stage.nameID(of: text, isRenewal: last.epoch != 0)
    last = StagedName(staged: id, epoch: stage.epoch)
    return id
  }
}

/// The paths that an app has interned. It may set them at any time, so they are kept until the log is closed.
struct PinnedPaths {
  /// Distinguishes the interned paths of this writer from those of others.
  let owner = UInt32.random(in: .min ... .max)
  private var table = PathTable()
  private var logged = DenseMap<PathTable.ID, LogWriter.LoggedPath?>(default: nil)

  /// Keeps a path, given its id in this epoch.
  mutating func pin(_ path: Path, _ now: LogWriter.LoggedPath) -> LogWriter.InternedPath {
    let number = table.intern(path)
    logged[number] = now
    return LogWriter.InternedPath(logged: now, number: number, owner: owner)
  }

  func path(_ path: LogWriter.InternedPath) -> Path { table.path(path.number) }

  /// The last known id of a path; nil if another writer interned it.
  subscript(path: LogWriter.InternedPath) -> LogWriter.LoggedPath? {
    path.owner == owner ? logged[path.number] : nil
  }
}
