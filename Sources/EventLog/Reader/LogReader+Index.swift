extension LogReader {
  /// What the log holds, in numbers, if it was opened by its indexes: nothing more is read. Else nil.
  public func totals() -> LogTotals? {
    guard let last = segments.last, last.blocks.upperBound + 1 == blocks.count else { return nil }
    var kinds = Array(repeating: 0, count: EventCode.count)
    var (duration, objects): (UInt64, Int) = (0, 0)
    var projections: Set<ExactString> = []
    for segment in segments {
      guard let lists = try? segment.index.lists() else { return nil }
      for kind in kinds.indices { kinds[kind] += segment.index.kindCounts[kind] }
      duration = max(duration, segment.index.latestTime)
      objects += segment.index.objects
      for id in Set(lists.projections.map(\.id)) { projections.insert(lists.tables.string(id)) }
    }
    // An index that contradicts itself is none.
    guard kinds.reduce(0, +) == eventCount else { return nil }
    return LogTotals(kinds: kinds, duration: duration, objects: objects, projections: projections.count)
  }

  /// The blocks of events that may set, splice or remove a path of this form: all that do, and few others where the log
  /// was opened by its indexes, else all. Cost: linear in the indexes.
  public func blocks(writing pattern: PathPattern) -> [BlockInfo] {
    blocks { lists in
      var known: (id: Int, isMatch: Bool) = (-1, false)
      return lists.paths.filter { entry in
        if entry.id != known.id { known = (entry.id, pattern.matches(lists.tables.path(entry.id))) }
        return known.isMatch
      }
    }
  }

  /// The blocks of events that may be about a projection of such a name, as ``blocks(writing:)``.
  public func blocks(naming matches: (String) -> Bool) -> [BlockInfo] {
    blocks { lists in lists.projections.filter { matches(lists.tables.string($0.id)) } }
  }

  /// How many transactions are open where a block begins, if the log was opened by its indexes and its block is
  /// among ``blocks``.
  package func openTransactions(before block: BlockInfo) -> Int? {
    guard let segment = segments.last(where: { blocks[$0.blocks.lowerBound].offset <= block.offset }),
      let place = segment.blocks.first(where: { blocks[$0].offset == block.offset })
    else { return nil }
    return segment.index.blocks[place - segment.blocks.lowerBound].openTransactions
  }

  private func blocks(_ choose: (IndexLists) -> [IndexLists.Entry]) -> [BlockInfo] {
    var isChosen = Array(repeating: true, count: blocks.count)
    for segment in segments {
      // Where an index lists nothing or cannot be read, every block is read.
      guard let lists = try? segment.index.lists() else { continue }
      for place in segment.blocks { isChosen[place] = false }
      for entry in choose(lists) {
        for place in entry.blocks { isChosen[segment.blocks.lowerBound + place] = true }
      }
    }
    return zip(blocks, isChosen).filter { $0.kind == BlockKind.events && $1 }.map(\.0)
  }
}
