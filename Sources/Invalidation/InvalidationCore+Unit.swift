import EventLog

extension InvalidationCore {
  /// What one event, or one outermost transaction, has changed so far.
  @usableFromInline struct Unit: Sendable {
    struct Mark: Sendable {
      var causes: [UInt64] = []
      /// The last event that the app's equality calls a change although the recorded values are equal; 0 for
      /// none.
      var lastForced: UInt64 = 0
    }

    /// What a node saw when it ran within the transaction. Its later changes are compared with these values.
    struct Rebase: Sendable {
      var values: [SlotID: Value?]
      var lastCause: UInt64
    }

    private(set) var isOpen = false
    /// Whether it is a transaction, which compares the values at its end with those before it.
    private(set) var isTransaction = false
    private var marks: [SlotID: Mark] = [:]
    /// The events that set something of an object, by the slot of the object as a whole.
    private var objectMarks: [SlotID: [UInt64]] = [:]
    private var baselines: [SlotID: Value?] = [:]
    /// The slots below which everything was captured, each with the `readersVersion` at that time.
    private var captured: [SlotID: UInt64] = [:]
    var rebased: [NodeID: Rebase] = [:]
    private var lastSeq: UInt64 = 0
    /// The last event that changed each slot and is not of this unit. Their values count as changed: what a reader has seen may be
    /// neither that before the unit nor that at its end.
    private var changedByOthers: [SlotID: UInt64] = [:]

    var isEmpty: Bool { marks.isEmpty && objectMarks.isEmpty }

    /// Makes it a transaction.
    mutating func open() { (isOpen, isTransaction) = (true, true) }

    /// Ends the transaction; what it changed is still there.
    mutating func close() { isOpen = false }

    mutating func reset() {
      // Most units mark a few slots and nothing else, so the next one uses their memory again.
      var marks = marks
      self.marks = [:]
      marks.removeAll(keepingCapacity: marks.capacity <= 16)
      self = Unit()
      self.marks = marks
    }

    mutating func mark(_ slot: SlotID, _ seq: UInt64, isForced: Bool) {
      lastSeq = seq
      if marks[slot, default: Mark()].causes.last != seq { marks[slot, default: Mark()].causes.append(seq) }
      if isForced { marks[slot]?.lastForced = seq }
    }

    /// Records that an event of another unit changed a slot.
    mutating func markByOthers(_ slot: SlotID, _ seq: UInt64) {
      lastSeq = seq
      changedByOthers[slot] = seq
    }

    mutating func mark(whole slot: SlotID, _ seq: UInt64) {
      lastSeq = seq
      if objectMarks[slot]?.last != seq { objectMarks[slot, default: []].append(seq) }
    }

    /// Whether everything that is read within a slot must be captured before it changes. This is necessary
    /// once for each version of the readers.
    mutating func startCapturing(within slot: SlotID, at readersVersion: UInt64) -> Bool {
      captured.updateValue(readersVersion, forKey: slot) != readersVersion
    }

    mutating func capture(_ slot: SlotID, in graph: SlotGraph, of state: State) {
      if baselines[slot] == nil { baselines[slot] = .some(graph.value(at: slot, in: state)) }
    }

    /// Records that a slot had no value before.
    mutating func captureMissing(_ slot: SlotID) {
      if baselines[slot] == nil { baselines[slot] = .some(nil) }
    }

    mutating func rebase(
      _ node: NodeID, on slots: [SlotID], in graph: SlotGraph, of state: State
    ) {
      var values: [SlotID: Value?] = [:]
      for slot in slots { values[slot] = .some(graph.value(at: slot, in: state)) }
      rebased[node] = Rebase(values: values, lastCause: lastSeq)
    }

    /// The arrays in which elements are looked up by id when the unit ends.
    func arraysReadByID(in graph: SlotGraph) -> [(object: ObjectID, property: String)] {
      isTransaction ? marks.keys.compactMap { graph.arrayReadByID(at: $0) } : []
    }

    /// The nodes that the unit invalidates, in order of creation. Throws `overLimit` if these have more causes
    /// in all than allowed.
    func hits(in graph: SlotGraph, of state: State, causesMax: Int) throws(StateError) -> [Hit] {
      if let hits = hitsOfOnlyMark(in: graph, of: state) { return hits }
      var causes: [NodeID: [UInt64]] = [:]
      var causeCount = 0
      for (slot, mark) in marks {
        let now = isTransaction ? graph.value(at: slot, in: state) : nil
        let isChanged = isChanged(slot, mark, to: now)
        graph.forEachReader(of: slot) { reader in
          if causeCount > causesMax { return }
          let seqs = changes(mark, of: slot, to: now, isChanged, for: reader)
          if !seqs.isEmpty { causeCount += causes[reader, default: []].add(seqs) }
        }
      }
      for (slot, seqs) in objectMarks {
        graph.forEachReader(of: slot) { reader in
          if causeCount > causesMax { return }
          let seqs = changes(seqs, for: reader)
          if !seqs.isEmpty { causeCount += causes[reader, default: []].add(seqs) }
        }
      }
      guard causeCount <= causesMax else {
        throw .overLimit("the projections that a transaction invalidates have over \(causesMax) causes")
      }
      var nodes = Array(causes.keys)
      graph.sort(&nodes)
      return nodes.map { Hit(node: $0, causes: causes[$0]?.inOrder ?? []) }
    }

    /// The last event that changed what a node reads; nil if none did. Cost: linear in the node's reads.
    func lastChange(of node: NodeID, in graph: SlotGraph, of state: State) -> UInt64? {
      if isEmpty { return nil }
      var last: UInt64?
      for slot in graph.reads(of: node) {
        if let mark = marks[slot] {
          let now = isTransaction ? graph.value(at: slot, in: state) : nil
          let seqs = changes(mark, of: slot, to: now, isChanged(slot, mark, to: now), for: node)
          last = max(last ?? 0, seqs.last ?? 0)
        }
        if let seqs = objectMarks[slot] { last = max(last ?? 0, changes(seqs, for: node).last ?? 0) }
      }
      return last == 0 ? nil : last
    }

    /// The events that changed a slot for a reader; if the reader ran within the unit, only those since.
    private func changes(
      _ mark: Mark, of slot: SlotID, to now: Value?, _ isChanged: Bool, for reader: NodeID
    ) -> [UInt64] {
      guard let rebase = rebased[reader] else { return isChanged ? mark.causes : [] }
      let hasChanged =
        max(mark.lastForced, changedByOthers[slot] ?? 0) > rebase.lastCause
        || rebase.values[slot].map { $0 != now } ?? true
      return hasChanged ? mark.causes.filter { $0 > rebase.lastCause } : []
    }

    /// The same for an object that is read as a whole.
    private func changes(_ seqs: [UInt64], for reader: NodeID) -> [UInt64] {
      rebased[reader].map { rebase in seqs.filter { $0 > rebase.lastCause } } ?? seqs
    }

    /// The hits if only one slot or object is marked and no node ran within the unit. All readers then have
    /// the same causes, so no table is needed even for a thousand of them.
    private func hitsOfOnlyMark(in graph: SlotGraph, of state: State) -> [Hit]? {
      guard rebased.isEmpty, marks.count + objectMarks.count == 1 else { return nil }
      if let (slot, seqs) = objectMarks.first {
        return graph.readers(of: CollectionOfOne(slot)).map { Hit(node: $0, causes: seqs) }
      }
      guard let (slot, mark) = marks.first,
        isChanged(slot, mark, to: isTransaction ? graph.value(at: slot, in: state) : nil)
      else { return [] }
      return graph.readers(of: CollectionOfOne(slot)).map { Hit(node: $0, causes: mark.causes) }
    }

    private func isChanged(_ slot: SlotID, _ mark: Mark, to now: Value?) -> Bool {
      !isTransaction || mark.lastForced > 0 || changedByOthers[slot] != nil
        || baselines[slot].map { $0 != now } ?? true
    }
  }
}

extension [UInt64] {
  /// Adds the seqs of another list, and returns for how many that takes memory. Allocates nothing if this one
  /// is empty or both are equal: most nodes that are invalidated together have the same causes.
  fileprivate mutating func add(_ others: [UInt64]) -> Int {
    if isEmpty {
      self = others
    } else if self != others {
      append(contentsOf: others)
      return count
    }
    return 0
  }

  /// The seqs in ascending order, each once. Cost: linear if they are so already.
  fileprivate var inOrder: [UInt64] {
    if zip(self, dropFirst()).allSatisfy({ $0 < $1 }) { return self }
    var inOrder: [UInt64] = []
    for seq in sorted() where inOrder.last != seq { inOrder.append(seq) }
    return inOrder
  }
}
