import EventLog

/// What a recording shows of its program, as far as somebody has to know it who drives it through code: the objects that the
/// program attached, the modules that its views are in, and how often each projection ran.
package struct RecordedProgram: Sendable {
  /// An object that was attached.
  package struct Root: Sendable {
    package var name: String
    /// The name of its class without those around it; nil if the log does not have it there.
    package var type: String?
    /// The event that attached it.
    package var seq: UInt64
    /// Whether something had run before.
    package var isLate: Bool
  }

  /// In the order in which they were attached; of a name the first.
  package let roots: [Root]
  /// The modules whose code created projections, those with the most first.
  package let modules: [String]
  /// How often projections ran, all instances of a name together, by name.
  package let evaluations: [(name: String, count: Int)]

  /// More roots than a program has; bounds the memory.
  private static let rootsMax = 1000

  /// Cost: a pass over the log.
  package init(_ log: LogSource, progress: AnalysisProgress = .hidden) throws {
    var tally = ProgramTally(rootsMax: Self.rootsMax)
    let run = try log.play(to: &tally, progress: progress)
    roots = tally.roots.map { root in
      var root = root
      if case .set(_, .object(let object), _)? = log.event(root.seq)?.body, !object.type.isEmpty {
        root.type = object.type
      }
      return root
    }
    modules = tally.modules.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    let runs = tally.runs.counts(run).projections
    evaluations = runs.sorted { $0.key < $1.key }.map { ($0.key.string, $0.value.evaluations) }
  }

  /// Throws if no projection of this name ran; the error suggests the nearest.
  package func check(_ projection: String, of log: LogSource) throws {
    let names = evaluations.map(\.name)
    if names.contains(where: { $0.hasSameBytes(as: projection) }) { return }
    let nearest = Suggestion.nearest(to: projection, among: names)
    throw AnalysisError(log, .noProjection(projection, nearest: nearest))
  }
}

/// Collects roots and modules, and counts runs as a drive is compared with its recording.
private struct ProgramTally: RowObserver {
  let needs: RunNeeds = []
  private let rootsMax: Int
  private(set) var roots: [RecordedProgram.Root] = []
  private(set) var modules: [String: Int] = [:]
  private(set) var runs = DiffTally()
  private var known: Set<ExactString> = []
  private var hasRun = false

  init(rootsMax: Int) { self.rootsMax = rootsMax }

  mutating func observe(_ run: inout LogRun) throws {
    runs.add(&run)
    switch run.row.kind {
    case .set: if let path = run.path { addRoot(run.tables.path(path), run.row.seq) }
    case .evaluate: hasRun = true
    case .projection: if let module = run.site?.module { modules[module, default: 0] += 1 }
    default: break
    }
  }

  private mutating func addRoot(_ path: Path, _ seq: UInt64) {
    guard path.components.isEmpty, case .named(let name) = path.root, name != "derived",
      roots.count < rootsMax,
      known.insert(ExactString(name)).inserted
    else { return }
    roots.append(RecordedProgram.Root(name: name, type: nil, seq: seq, isLate: hasRun))
  }
}

extension String {
  /// The module of a site, as of `Chat/ChatView.swift:12`; nil if it has none that a program could import.
  fileprivate var module: String? {
    guard let slash = utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
    let name = self[..<slash]
    let isName = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: false
      }
    }
    return isName && name.utf8.first.map { !(0x30...0x39 ~= $0) } ?? false ? String(name) : nil
  }
}
