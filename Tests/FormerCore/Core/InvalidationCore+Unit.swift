// As of d547314, on the state of b942364. An oracle: not to be mended.

import EventLog

extension InvalidationCore {
  /// What one event, or one outermost transaction, has changed so far.
  struct Unit: Sendable {
    typealias NodeID = DependencyGraph.NodeID

    struct Mark: Sendable {
      var causes: [UInt64] = []
      /// The last event that is a change by the app's equality although the recorded values agree; 0 for none.
      var lastForced: UInt64 = 0
    }

    /// A projection that ran within the transaction has seen values newer than its beginning.
    struct Rebase: Sendable {
      var values: [NodeID: Value?]
      var lastCause: UInt64
    }

    var depth = 0 {
      didSet { if depth > 0 { isTransaction = true } }
    }
    private(set) var isTransaction = false
    private var marks: [NodeID: Mark] = [:]
    private var objectMarks: [ObjectID: [UInt64]] = [:]
    private var baselines: [NodeID: Value?] = [:]
    /// The nodes of which all within was captured, each with the version of the readers at that time.
    private var captured: [NodeID: UInt64] = [:]
    /// Whether something was no change by the app's equality although the recorded values differ.
    var hidesChanges = false
    var rebased: [ProjectionID: Rebase] = [:]
    private var lastSeq: UInt64 = 0

    var isOpen: Bool { depth > 0 }
    var isEmpty: Bool { marks.isEmpty && objectMarks.isEmpty }

    mutating func reset() { self = Unit() }

    mutating func mark(node: NodeID, _ seq: UInt64, isForced: Bool) {
      lastSeq = seq
      if marks[node, default: Mark()].causes.last != seq { marks[node, default: Mark()].causes.append(seq) }
      if isForced { marks[node]?.lastForced = seq }
    }

    mutating func mark(object: ObjectID, _ seq: UInt64) {
      lastSeq = seq
      if objectMarks[object]?.last != seq { objectMarks[object, default: []].append(seq) }
    }

    /// Whether all that is read within a node must be captured before it changes: once for each version of the
    /// readers.
    mutating func startCapturing(within node: NodeID, at readersVersion: UInt64) -> Bool {
      captured.updateValue(readersVersion, forKey: node) != readersVersion
    }

    mutating func capture(_ node: NodeID, in graph: DependencyGraph, of state: State) {
      if baselines[node] == nil { baselines[node] = .some(graph.value(at: node, in: state)) }
    }

    /// Notes that what a node reads was not there before.
    mutating func captureMissing(_ node: NodeID) {
      if baselines[node] == nil { baselines[node] = .some(nil) }
    }

    mutating func rebase(
      _ projection: ProjectionID, on nodes: Set<NodeID>, in graph: DependencyGraph, of state: State
    ) {
      var values: [NodeID: Value?] = [:]
      for node in nodes { values[node] = .some(graph.value(at: node, in: state)) }
      rebased[projection] = Rebase(values: values, lastCause: lastSeq)
    }

    /// The arrays in which values are searched by id when the unit ends.
    func arraysReadByID(in graph: DependencyGraph) -> [(object: ObjectID, property: String)] {
      isTransaction ? marks.keys.compactMap { graph.arrayReadByID(at: $0) } : []
    }

    /// The projections hit, in order of creation.
    func hits(in graph: DependencyGraph, of state: State) -> [Hit] {
      if let hits = hitsOfOnlyMark(in: graph, of: state) { return hits }
      var causes: [ProjectionID: [UInt64]] = [:]
      for (node, mark) in marks {
        let now = isTransaction ? graph.value(at: node, in: state) : nil
        let isChanged = isChanged(node, mark, to: now)
        for reader in graph.nodes[node].readers {
          if let rebase = rebased[reader] {
            let later = mark.causes.filter { $0 > rebase.lastCause }
            let hasChanged =
              mark.lastForced > rebase.lastCause || rebase.values[node].map { $0 != now } ?? true
            if !later.isEmpty, hasChanged { causes[reader, default: []].formUnion(later) }
          } else if isChanged {
            causes[reader, default: []].formUnion(mark.causes)
          }
        }
      }
      for (object, seqs) in objectMarks {
        for reader in graph.objectReaders[object] ?? [] {
          let later = rebased[reader].map { rebase in seqs.filter { $0 > rebase.lastCause } } ?? seqs
          if !later.isEmpty { causes[reader, default: []].formUnion(later) }
        }
      }
      return causes.keys.sorted().map { Hit(projection: $0, causes: causes[$0] ?? []) }
    }

    /// The same, if a single node or object was marked, and no projection has run within the unit: all readers then
    /// have the same causes, and a thousand of them need no table.
    private func hitsOfOnlyMark(in graph: DependencyGraph, of state: State) -> [Hit]? {
      guard rebased.isEmpty, marks.count + objectMarks.count == 1 else { return nil }
      if let (object, seqs) = objectMarks.first {
        return (graph.objectReaders[object] ?? []).sorted().map { Hit(projection: $0, causes: seqs) }
      }
      guard let (node, mark) = marks.first,
        isChanged(node, mark, to: isTransaction ? graph.value(at: node, in: state) : nil)
      else { return [] }
      return graph.nodes[node].readers.sorted().map { Hit(projection: $0, causes: mark.causes) }
    }

    private func isChanged(_ node: NodeID, _ mark: Mark, to now: Value?) -> Bool {
      !isTransaction || mark.lastForced > 0 || baselines[node].map { $0 != now } ?? true
    }
  }
}

extension [UInt64] {
  /// Merges two ascending lists of seqs. If this one is empty or both are equal, it allocates nothing: most
  /// projections that are invalidated together have the same causes.
  fileprivate mutating func formUnion(_ others: [UInt64]) {
    if isEmpty { self = others }
    if self != others { self = Set(self).union(others).sorted() }
  }
}
