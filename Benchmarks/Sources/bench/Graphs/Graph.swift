/// A graph of values computed from values, which is measured, and a plain simulation that counts the work.
///
/// Nodes are numbered, sources first; a node reads only nodes before it.
struct Graph {
  /// How a node computes its value from those it reads.
  struct Rule {
    var inputs: [Int]
    /// Whether the first input decides if the last one is read.
    var isDynamic = false
    /// Applied to the sum of a node; by default the identity.
    var finish: (Int) -> Int = { $0 }

    func callAsFunction(_ read: (Int) -> Int) -> Int {
      var sum = 0
      for (position, input) in inputs.enumerated() {
        if isDynamic, position == inputs.count - 1, position > 0, sum & 1 == 1 { break }
        sum &+= read(input)
      }
      return finish(sum)
    }
  }

  var title: String
  var sources: Int
  var rules: [Rule]
  /// The nodes that are read from outside the graph.
  var watched: [Int]

  /// The sources that an update sets: all by default.
  var isSetWhole = true

  /// What the sources are after an update.
  func update(_ turn: Int, _ set: (_ source: Int, _ value: Int) -> Void) {
    if isSetWhole {
      for source in 0..<sources { set(source, turn &+ source) }
    } else {
      set(turn % sources, turn &+ 1000)
    }
  }
}

/// Runs a graph on plain arrays, and recomputes exactly the nodes that have an input that differs and whose value is
/// needed.
struct GraphSimulation {
  private let graph: Graph
  private(set) var values: [Int]
  private var seen: [[(input: Int, value: Int)]]
  private var observed: [Bool] = []
  /// The rules that have read each rule's value.
  private var readers: [Set<Int>]
  /// The rules whose values are read from outside the graph.
  private let watched: Set<Int>
  /// The update in which each rule was last brought up to date.
  private var checked: [Int]
  private var updates = 0
  private(set) var recomputations = 0
  /// The rules that the last update recomputed, each after those that it reads.
  private(set) var recomputed: [Int] = []

  init(_ graph: Graph) {
    self.graph = graph
    values = Array(repeating: 0, count: graph.sources + graph.rules.count)
    seen = Array(repeating: [], count: graph.rules.count)
    checked = Array(repeating: -1, count: graph.rules.count)
    readers = Array(repeating: [], count: graph.rules.count)
    watched = Set(graph.watched.map { $0 - graph.sources })
    for node in graph.watched { pull(node, isFirst: true) }
    recomputations = 0
  }

  mutating func update(_ turn: Int) {
    updates += 1
    recomputed = []
    graph.update(turn) { values[$0] = $1 }
    if observed.isEmpty { observed = findObserved() }
    for rule in graph.rules.indices where isDirty(rule) && isAwaited(rule) {
      pull(graph.sources + rule)
      if observed.isEmpty { observed = findObserved() }
    }
  }

  /// Whether something that a rule has read differs now.
  private func isDirty(_ rule: Int) -> Bool { seen[rule].contains { values[$0.input] != $0.value } }

  /// Whether the value of a rule is needed. A reader that must run anyway does not need it: it reads the value itself,
  /// if it still does.
  private func isAwaited(_ rule: Int) -> Bool {
    observed[rule] && (watched.contains(rule) || readers[rule].contains { observed[$0] && !isDirty($0) })
  }

  private mutating func pull(_ node: Int, isFirst: Bool = false) {
    guard node >= graph.sources, checked[node - graph.sources] != updates else { return }
    let rule = node - graph.sources
    defer { checked[rule] = updates }
    if !isFirst || !seen[rule].isEmpty {
      // Once a rule must run, its run decides what it still reads.
      for (input, _) in seen[rule] where !isDirty(rule) { pull(input) }
      if !isDirty(rule) && !seen[rule].isEmpty { return }
    }
    recomputations += 1
    var read: [(input: Int, value: Int)] = []
    let compute = graph.rules[rule]
    let value = compute { input in
      pull(input, isFirst: true)
      read.append((input, values[input]))
      return values[input]
    }
    values[node] = value
    recomputed.append(rule)
    // Which rules are observed depends on what is read.
    if !read.map(\.input).elementsEqual(seen[rule].map(\.input)) {
      observed = []
      for (input, _) in seen[rule] where input >= graph.sources {
        readers[input - graph.sources].remove(rule)
      }
      for (input, _) in read where input >= graph.sources { readers[input - graph.sources].insert(rule) }
    }
    seen[rule] = read
  }

  private func findObserved() -> [Bool] {
    var observed = Array(repeating: false, count: graph.rules.count)
    var open = graph.watched.map { $0 - graph.sources }
    while let node = open.popLast() {
      guard node >= 0, !observed[node] else { continue }
      observed[node] = true
      open += seen[node].map { $0.input - graph.sources }
    }
    return observed
  }
}
