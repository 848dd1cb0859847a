/// The last so many entries of a table that would grow without end; at most twice as many are kept.
package struct RecentEntries<Entry: Sendable>: Sendable {
  private var young: [UInt64: Entry] = [:]
  private var old: [UInt64: Entry] = [:]
  private let count: Int

  package init(keeping count: Int) { self.count = count }

  /// The entry of a key, unless it was forgotten.
  package subscript(key: UInt64) -> Entry? {
    get { young[key] ?? old[key] }
    set {
      if young.count >= count {
        old = young
        young = [:]
      }
      young[key] = newValue
    }
  }
}
