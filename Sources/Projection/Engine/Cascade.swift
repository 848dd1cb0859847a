import EventLog

/// What led to what while something was measured.
package struct Cascade: Hashable, Sendable {
  /// A node of the forest.
  package struct Entry: Hashable, Sendable {
    /// The entry that led to this one; an earlier one.
    package var parent: Int?
    package var kind: Kind
  }

  package enum Kind: Hashable, Sendable {
    /// A transaction of the app's; what was written in it hangs below it.
    case transaction(label: String?, site: String)
    /// A mutation, and what was there before it.
    case write(Event.Body, old: Value?)
    /// A projection that was woken, or ran for another reason.
    case projection(name: String, site: String?, run: Run)
  }

  /// What came of a projection.
  package enum Run: Hashable, Sendable {
    /// It was woken, and did not run or has not yet.
    case none
    /// It ran; whether its output differed from the last, where that can be told.
    case ended(isChanged: Bool?)
  }

  /// The entries in the order of time.
  package private(set) var entries: [Entry] = []
  /// How many more there were than are kept.
  package private(set) var omitted = 0

  static let maximumEntries = 10_000

  package init() {}

  /// Adds an entry, and says where it is; nil if there are too many.
  mutating func append(_ kind: Kind, below parent: Int?) -> Int? {
    guard entries.count < Self.maximumEntries else {
      omitted += 1
      return nil
    }
    entries.append(Entry(parent: parent, kind: kind))
    return entries.count - 1
  }

  /// Says what came of a projection.
  mutating func setRun(_ run: Run, at entry: Int) {
    if case .projection(let name, let site, _) = entries[entry].kind {
      entries[entry].kind = .projection(name: name, site: site, run: run)
    }
  }
}
