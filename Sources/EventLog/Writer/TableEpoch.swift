/// The time for which the staged ids of a writer hold: until its tables of paths and names are full and start over, so
/// that they do not grow with all that was ever recorded.
///
/// Tables start over between two chunks. The appending threads forget what they interned, and the sealing thread what
/// was defined, when the first chunk of the new epoch reaches it. Ids that are kept somewhere carry the number of their
/// epoch, and are renewed when it is over.
///
///     chunks     | a = app.x, set a | b = app.y, set b | a = app.y, set a | ...
///     epoch              17                 17                  18
struct TableEpoch {
  /// Tells its ids from those of other epochs, and of other writers. It begins at random, and is never 0.
  private(set) var number = UInt32.random(in: 1 ... .max)
  /// The size at which tables are full unless more than half of that is in use.
  private let leastSize: Int
  private var fullSize: Int
  private var renewed = 0

  /// - Parameter size: About how many bytes the definitions of paths and names may take.
  init(size: Int) {
    leastSize = size
    fullSize = size
  }

  /// What a definition takes in the tables beside its bytes.
  static let entrySize = 48

  /// Notes that an id which was kept is defined again, and so is in use.
  mutating func noteRenewal(_ size: Int) { renewed += size }

  func isOver(at size: Int) -> Bool { size >= fullSize }

  /// Begins the next epoch. It is as long as to hold twice what was renewed in this one, so that an app with many
  /// living paths does not define them over and over.
  mutating func advance() {
    number = number == .max ? 1 : number + 1
    fullSize = max(leastSize, 2 * renewed)
    renewed = 0
  }
}

// MARK: Ids that are kept

extension LogWriter {
  /// The id of a path in one writer, for as long as its epoch lasts.
  package struct LoggedPath: Hashable, Sendable {
    let staged: UInt32
    let epoch: UInt32
  }

  /// A name with its id in one writer, which is renewed as need be. A new one has no id yet.
  package struct LoggedName: Sendable {
    /// The name.
    package let text: String
    /// Its last id.
    fileprivate(set) var last = StagedName()

    /// A name without an id.
    package init(_ text: String) { self.text = text }
  }
}

/// The staged id of a name, for as long as its epoch lasts. It holds in none at first.
struct StagedName: Sendable {
  var staged: UInt32 = 0
  var epoch: UInt32 = 0
}

extension LogWriter.LoggedName {
  /// The id, renewed by a stage if it does not hold there. Cost: a comparison while it holds.
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

/// The paths that an app has interned: it may set them at any time, so they are kept until the log is closed.
struct PinnedPaths {
  /// Tells interned paths of this writer from those of others.
  let owner = UInt32.random(in: .min ... .max)
  private var table = PathTable()
  private var logged = DenseMap<PathTable.ID, LogWriter.LoggedPath?>(default: nil)

  /// Keeps a path, whose present id is known.
  mutating func pin(_ path: Path, _ now: LogWriter.LoggedPath) -> LogWriter.InternedPath {
    let number = table.intern(path)
    logged[number] = now
    return LogWriter.InternedPath(logged: now, number: number, owner: owner)
  }

  func path(_ path: LogWriter.InternedPath) -> Path { table.path(path.number) }

  /// The last id that is known of a path; nil if it is another writer's.
  subscript(path: LogWriter.InternedPath) -> LogWriter.LoggedPath? {
    path.owner == owner ? logged[path.number] : nil
  }
}
