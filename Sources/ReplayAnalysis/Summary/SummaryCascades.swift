import EventLog

/// Counts cascades by shapes that are comparable between sessions.
struct SummaryCascades: CascadeTreeSink {
  private(set) var counted: [SessionSummary.CascadeLine] = []
  /// The longest time of one cascade in each line, in nanoseconds.
  private var most: [UInt64] = []
  private var others: SessionSummary.CascadeLine?
  private var mostOfOthers: UInt64 = 0
  /// The time of the cascade that took longest, in nanoseconds.
  private(set) var longest: UInt64 = 0
  /// The indices of lines by the shapes of this session, whose comparison is a hundred times faster than computing a
  /// hash that is comparable between sessions; `.max` for the line of other shapes.
  private var indices: [CascadeShape: Int] = [:]
  private var lineOfShape: [String: Int] = [:]
  private var shape = CascadeShape()
  var builder = CascadeBuilder()

  /// Each takes memory, and a session may have as many shapes as cascades.
  private static let indicesMax = 20_000

  /// The lines with the most time first; the line of other shapes comes last.
  var lines: [SessionSummary.CascadeLine] {
    // Numbers are compared first, and in place: a line has texts, whose references would be counted.
    let order = counted.indices.sorted { a, b in
      let numbers = { (line: Int) in
        (
          counted[line].time, counted[line].evaluations, counted[line].count,
          UInt64.max - counted[line].exemplar
        )
      }
      let (first, second) = (numbers(a), numbers(b))
      return first != second ? first > second : counted[a].shape ?? "" < counted[b].shape ?? ""
    }
    return order.map { counted[$0] } + (others.map { [$0] } ?? [])
  }

  mutating func count(_ root: UInt64, writes: [TitleID], _ titles: borrowing CascadeTitles) {
    for tree in builder.nodes.roots {
      let work = builder.nodes.fill(&shape, from: tree)
      if work.isNone { continue }
      count(indices[shape] ?? line(of: tree, titles), work, root)
    }
  }

  /// The index of the line for a tree's shape, which is the present one, added if there is none; `.max` if there are too many lines.
  private mutating func line(of tree: Int32, _ titles: borrowing CascadeTitles) -> Int {
    let found = FleetShape(tree, of: builder.nodes, titles)
    var index = lineOfShape[found.hash] ?? .max
    if index == .max, counted.count < SessionSummary.shapesMax {
      index = counted.count
      lineOfShape[found.hash] = index
      counted.append(
        SessionSummary.CascadeLine(
          shape: found.hash, root: found.root, depth: builder.nodes.levels(of: tree),
          text: found.text.clipped(to: FleetShape.textBytesMax)))
      most.append(0)
    }
    if indices.count >= Self.indicesMax { indices.removeAll() }
    indices[shape] = index
    return index
  }

  private mutating func count(_ index: Int, _ work: EffectSums, _ root: UInt64) {
    longest = max(longest, work.time)
    if index == .max {
      var line = others ?? SessionSummary.CascadeLine()
      line.add(work, root, &mostOfOthers)
      others = line
    } else {
      counted[index].add(work, root, &most[index])
    }
  }
}

extension SessionSummary.CascadeLine {
  fileprivate mutating func add(_ work: EffectSums, _ root: UInt64, _ most: inout UInt64) {
    // Cascades usually come in the order of their roots, but not always.
    if count == 0 || work.time > most || work.time == most && root < exemplar {
      (most, exemplar) = (work.time, root)
    }
    count += 1
    add(work)
  }
}

/// The shape of a cascade, comparable between sessions and versions of the app.
///
/// It consists of kinds, and counts only to the power of two: a list with one more row usually has the same
/// shape. The order of branches does not matter. The hash begins with the version of these rules.
struct FleetShape {
  /// `1-` and 16 hexadecimal digits.
  let hash: String
  private let tree: Branch

  private struct Branch {
    let kind: String
    /// The numbers of binary digits of the numbers of runs and of invalidations.
    let runs: UInt8
    let invalidations: UInt8
    /// In the order of their hashes.
    let below: [Branch]
    let hash: UInt64
  }

  static let version: UInt8 = 1
  static let textBytesMax = 4_096

  init(_ tree: Int32, of nodes: borrowing CascadeNodes, _ titles: borrowing CascadeTitles) {
    self.tree = Self.branch(tree, nodes, titles)
    hash = "\(Self.version)-\(self.tree.hash.padded(to: 16, radix: 16))"
  }

  /// The title of the root.
  var root: String { tree.kind.clipped(to: SessionSummary.kindBytesMax) }

  /// One node per line, indented by two spaces for each level: `Row, 32 to 63 runs, 32 to 63 invalidations`.
  var text: String {
    var text = ""
    Self.append(tree, depth: 0, to: &text)
    return text
  }

  private static func branch(
    _ node: Int32, _ nodes: borrowing CascadeNodes, _ titles: borrowing CascadeTitles
  ) -> Branch {
    let this = nodes[node]
    let kind = kind(titles.text(this.title))
    let (runs, invalidations) = (magnitude(this.sums.evaluations), magnitude(this.sums.invalidations))
    var children: [Int32] = []
    nodes.forEachChild(of: node) { children.append($0) }
    var below: [Branch] = []
    for child in children { below.append(branch(child, nodes, titles)) }
    below.sort { $0.hash < $1.hash }
    var bytes = [version, number(of: this.kind), runs, invalidations] + Array(kind.utf8) + [0xFF]
    for child in below { withUnsafeBytes(of: child.hash.littleEndian) { bytes += $0 } }
    return Branch(kind: kind, runs: runs, invalidations: invalidations, below: below, hash: XXH64.hash(bytes))
  }

  private static func append(_ branch: Branch, depth: Int, to text: inout String) {
    if depth > 0 { text += "\n" + String(repeating: "  ", count: depth) }
    text += branch.kind.clipped(to: 256)
    if branch.runs > 0 { text += ", \(amount(branch.runs)) runs" }
    if branch.invalidations > 0 { text += ", \(amount(branch.invalidations)) invalidations" }
    for child in branch.below { append(child, depth: depth + 1, to: &text) }
  }

  /// The number of binary digits of a number.
  private static func magnitude(_ number: Int) -> UInt8 {
    UInt8(Int.bitWidth - max(0, number).leadingZeroBitCount)
  }

  private static func amount(_ magnitude: UInt8) -> String {
    if magnitude == 1 { return "1" }
    let first = UInt64(1) << UInt64(magnitude - 1)
    return "\(first) to \(2 * first - 1)"
  }

  private static func number(of kind: CascadeTree.Kind) -> UInt8 {
    switch kind {
    case .root: 0
    case .write: 1
    case .projection: 2
    }
  }

  /// A title without digits that differ between sessions: a label may contain numbers, and an unknown event
  /// is named by its seq.
  private static func kind(_ title: String) -> String {
    let prefixes = ["mark ", "transaction ", "action ", "event "]
    return prefixes.contains(where: title.hasPrefix) ? title.withoutNumbers : title
  }
}

extension String {
  /// The text with each row of digits as `*`: a label may contain numbers that differ between sessions.
  var withoutNumbers: String {
    var kind = ""
    var isNumber = false
    for scalar in unicodeScalars {
      let isDigit = ("0"..."9").contains(scalar)
      if !isDigit { kind.unicodeScalars.append(scalar) } else if !isNumber { kind += "*" }
      isNumber = isDigit
    }
    return kind
  }
}
