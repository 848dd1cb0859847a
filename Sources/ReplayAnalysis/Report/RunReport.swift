import EventLog

/// What a page shows of a run: what the commands say of it, an overview to draw, and as much detail as there is room
/// for.
///
/// It comes in chunks, so that a page reads what it shows and no more. `report` is JSON, and tells what else there is;
/// `why` is JSON, a ``ReportWhys/Shape`` or null for each cascade; `state-N` is JSON, the state after event N; `overview`
/// and `rows-N` are columns. Everything in them that a command says too is equal to what it prints as JSON.
package struct RunReport {
  package struct Options: Sendable {
    /// Whether what was recorded at paths is taken in.
    package var hasValues: Bool
    /// How many bytes all chunks together may have as they are packed.
    package var budget: Int

    /// Whether names are taken in. Without them numbers stand for projections, paths and labels, and nothing is said of
    /// the source, the program and the log; then there are no values either.
    package var hasNames: Bool

    package init(hasValues: Bool, hasNames: Bool = true, budget: Int) {
      self.hasValues = hasValues && hasNames
      self.hasNames = hasNames
      self.budget = budget
    }
  }

  package struct Chunk: Sendable {
    package let name: String
    /// As it is written.
    package let packed: [UInt8]
  }

  /// `report` first.
  package private(set) var chunks: [Chunk] = []
  /// Whether there was no room for all of it.
  package let isPartial: Bool

  static let cascadesMax = 300
  static let linesMax = 1000
  static let lanesMax = 256
  private static let mainShare = 0.4
  private static let sliceRows: UInt64 = 1 << 15
  private static let windowsMax = 64
  private static let stopsMax = 24
  private static let stateBytesMax = 1 << 20

  /// Cost: a pass over the log, and small parts of it several times more.
  ///
  /// - Parameter pack: Makes bytes into those that are written.
  /// - Throws: What `pack` throws, and `AnalysisError` where the log contradicts itself.
  package init(
    _ log: LogSource, _ options: Options, progress: AnalysisProgress = .hidden,
    pack: @escaping ([UInt8]) throws -> [UInt8]
  ) throws {
    let selection = try Selection(in: log)
    var all = Together(
      Together(
        CascadeFeed(ReportedCascades(selection, by: .evaluations, keepsSights: true)),
        LintTally(LintThresholds(), in: selection.seqs)),
      Together(HotCounter(selection), RunOverview(log)))
    let run = try log.play(to: &all, progress: progress)
    // What is gone through again are parts; damage is reported of the whole log.
    let isOfPart = log.damage.isOfPart
    defer { log.damage.isOfPart = isOfPart }
    let standIns = options.hasNames ? nil : StandIns()
    let hot = all.b.a.report(run)
    var overview = all.b.b
    if let standIns { overview.replaceNames(standIns) }

    var packer = Packer(room: options.budget, pack: pack)
    var most = 2 * Self.cascadesMax
    var (main, sights, reserved): (Main, [CascadeSights], Int)
    repeat {
      most /= 2
      let found = all.a.a.sink.sighted(most: most)
      sights = found.sights
      main = Main(
        log: log, options, overview, lint: all.a.b.report(LintRule.allCases, run), hot: hot,
        hotMax: min(Self.linesMax, 4 * most), cascades: found.report, sights: sights,
        hiddenCascades: found.hidden, standIns)
      // The directory in it grows yet.
      reserved = try packer.measure(main.bytes()) + 4096
    } while Double(reserved) > Self.mainShare * Double(options.budget) && most > 1
    packer.room -= reserved

    var lanes = Self.lanesMax
    while try !packer.add("overview", overview.file(hot, lanesMax: lanes, run, standIns), share: 0.6),
      lanes > 1
    {
      lanes /= 2
    }
    let whys = try ReportWhys(
      sights, log, hasValues: options.hasValues, standIns, eventsMax: max(1 << 20, UInt64(log.eventCount) / 4)
    )
    var shapes = whys.shapes
    while try !packer.add("why", Array(PrintedJSON(encoding: shapes).text.utf8), share: 0.3), !shapes.isEmpty
    {
      shapes.removeLast((shapes.count + 1) / 2)
    }
    main.whyCount = shapes.count { $0 != nil }
    main.advice = whys.advice
    if options.hasValues { main.states = try Self.addStates(overview, sights, log, &packer) }
    // What took longest, what findings rest on, and where else the cascades are.
    let evidence = main.lint.findings.compactMap(\.evidence.seqs.first)
    let ends = main.cascades.lines.flatMap { [$0.first, $0.last] }
    main.slices = try Self.addSlices(
      around: sights.map(\.worst) + evidence + ends, log, options, standIns, &packer)

    isPartial =
      main.slices.reduce(0) { $0 + ($1[1] - $1[0]) } < overview.eventCount || main.hiddenCascades > 0
    // Without it there is no page, so it is there even where one name is larger than the budget.
    chunks = [Chunk(name: "report", packed: try pack(main.bytes()))] + packer.chunks
  }

  /// Adds the state after the last event, at marks, and after what led to most work.
  private static func addStates(
    _ overview: RunOverview, _ sights: [CascadeSights], _ log: LogSource, _ packer: inout Packer
  ) throws -> [UInt64] {
    var wanted = [log.lastSeq] + sights.prefix(stopsMax / 2).map(\.worst)
    for mark in overview.marks where wanted.count < stopsMax { wanted.append(mark.seq) }
    var added: Set<UInt64> = []
    for seq in wanted where !added.contains(seq) && seq >= log.firstSeq {
      let tree = StateTree(rootsOf: try log.state(at: seq))
      let bytes = Array(
        try PrintedJSON(encoding: StateReport(seq: seq, path: nil, state: tree.json)).text.utf8)
      if bytes.count <= stateBytesMax, try packer.add("state-\(seq)", bytes, share: 0.2) { added.insert(seq) }
    }
    return added.sorted()
  }

  /// Adds all events, or those around some, the first of these before the others; returns which.
  private static func addSlices(
    around seqs: [UInt64], _ log: LogSource, _ options: Options, _ standIns: StandIns?,
    _ packer: inout Packer
  ) throws -> [[UInt64]] {
    guard log.lastSeq >= log.firstSeq else { return [] }
    let all = log.firstSeq..<(log.lastSeq + 1)
    var wanted: [Range<UInt64>] = []
    // A packed event takes some six bytes.
    if all.count < packer.room / 5 {
      var first = all.lowerBound
      while first < all.upperBound {
        let end = min(first.addingClamped(sliceRows), all.upperBound)
        wanted.append(first..<end)
        first = end
      }
    } else {
      for seq in seqs where wanted.count < windowsMax {
        let first = max(all.lowerBound, seq - min(seq, 1 << 8))
        let window = first..<min(all.upperBound, seq.addingClamped(1 << 12))
        if window.isEmpty || wanted.contains(where: { $0.overlaps(window) }) { continue }
        wanted.append(window)
      }
    }
    var added: [[UInt64]] = []
    for window in wanted {
      let slice = try RowSlice(log, window, hasValues: options.hasValues, standIns)
      if slice.seqs.isEmpty { continue }
      guard try packer.add("rows-\(slice.seqs.lowerBound)", slice.file, share: 1) else { break }
      added.append([slice.seqs.lowerBound, slice.seqs.upperBound])
    }
    return added.sorted { $0[0] < $1[0] }
  }

  /// The chunks so far, and how many bytes are left for others.
  private struct Packer {
    var room: Int
    let pack: ([UInt8]) throws -> [UInt8]
    var chunks: [Chunk] = []

    init(room: Int, pack: @escaping ([UInt8]) throws -> [UInt8]) {
      self.room = room
      self.pack = pack
    }

    func measure(_ bytes: [UInt8]) throws -> Int { try pack(bytes).count }

    /// Adds a chunk if it takes no more than a share of the room.
    mutating func add(_ name: String, _ bytes: [UInt8], share: Double) throws -> Bool {
      let packed = try pack(bytes)
      guard Double(packed.count) <= max(0, Double(room)) * share else { return false }
      room -= packed.count
      chunks.append(Chunk(name: name, packed: packed))
      return true
    }
  }
}

extension RunReport {
  /// The chunk `report`.
  struct Main: Encodable {
    struct Rule: Encodable {
      var summary: String
      var advice: String
    }

    struct Sight: Encodable {
      var spread: [UInt32]
      var worst: UInt64
      var worstTime: UInt64
      /// By the node of the tree, each before those below: a run that it stands for; 0 where nothing ran. Only where
      /// there is somebody to ask about it.
      var examples: [UInt64]?

      enum CodingKeys: String, CodingKey {
        case spread, examples
        case worst = "worst_seq"
        case worstTime = "worst_time_ns"
      }
    }

    let version = 1
    /// The path of the log as it was given, for commands.
    var log: String
    var info: LogSummary
    var firstSeq: UInt64
    var lastSeq: UInt64
    var firstTime: UInt64
    var lastTime: UInt64
    /// Of all projections together.
    var evaluations: Int
    var wasted: Int
    var writes: Int
    var time: UInt64
    var wastedTime: UInt64
    var hasValues: Bool
    var hasNames: Bool
    var lint: LintReport
    var rules: [String: Rule]
    var hot: HotReport
    var hiddenProjections: Int
    var hiddenPaths: Int
    var cascades: CascadeReport
    var hiddenCascades: Int
    /// By the cascade.
    var sights: [Sight]
    var marks: [RunOverview.Mark]
    var markCount: Int
    /// How many cascades have chains.
    var whyCount = 0
    var advice: String?
    /// The events after which there is a state.
    var states: [UInt64] = []
    /// The events that are in rows: the first of each slice, and the one behind its last.
    var slices: [[UInt64]] = []

    enum CodingKeys: String, CodingKey {
      case version, log, info
      case firstSeq = "first_seq"
      case lastSeq = "last_seq"
      case firstTime = "first_time_ns"
      case lastTime = "last_time_ns"
      case evaluations, wasted, writes
      case time = "time_ns"
      case wastedTime = "wasted_time_ns"
      case hasValues = "has_values"
      case hasNames = "has_names"
      case lint, rules, hot
      case hiddenProjections = "hidden_projections"
      case hiddenPaths = "hidden_paths"
      case cascades
      case hiddenCascades = "hidden_cascades"
      case sights, marks
      case markCount = "mark_count"
      case whyCount = "why_count"
      case advice, states, slices
    }

    init(
      log: LogSource, _ options: Options, _ overview: RunOverview, lint: LintReport, hot: HotReport,
      hotMax: Int, cascades: CascadeReport, sights: [CascadeSights], hiddenCascades: Int,
      _ standIns: StandIns?, info: LogSummary? = nil, lastSeq: UInt64? = nil
    ) {
      self.log = options.hasNames ? log.path : "run.evlog"
      self.info = info ?? LogSummary(log)
      // What an app notes of itself when it records may be anything.
      if !options.hasValues { self.info.metadata = OrderedFields([]) }
      firstSeq = log.firstSeq
      self.lastSeq = lastSeq ?? log.lastSeq
      firstTime = overview.firstTime
      lastTime = overview.lastTime
      evaluations = overview.evaluations
      wasted = overview.wasted
      writes = overview.writes
      time = overview.time
      wastedTime = overview.wastedTime
      hasValues = options.hasValues
      self.lint = lint
      rules = Dictionary(
        uniqueKeysWithValues: LintRule.allCases.map {
          ($0.rawValue, Rule(summary: $0.summary, advice: $0.advice))
        })
      self.hot = hot
      self.hot.projections = Array(hot.projections.prefix(hotMax))
      self.hot.paths = Array(hot.paths.prefix(hotMax))
      hiddenProjections = hot.projections.count - self.hot.projections.count
      hiddenPaths = hot.paths.count - self.hot.paths.count
      self.cascades = cascades
      self.hiddenCascades = hiddenCascades + cascades.forgotten
      self.sights = sights.map { Sight(spread: $0.spread, worst: $0.worst, worstTime: $0.worstTime) }
      // Whoever gives what was found so far can be asked about all of it.
      if lastSeq != nil {
        for (index, sight) in sights.enumerated() { self.sights[index].examples = sight.examples.map(\.seq) }
      }
      marks = overview.marks
      markCount = overview.markCount
      hasNames = options.hasNames
      guard let standIns else { return }
      self.info.program = ""
      self.hot.replaceNames(standIns)
      self.cascades = cascades.replacingNames(standIns)
      self.lint.replaceNames(standIns)
    }

    func bytes() throws -> [UInt8] { Array(try PrintedJSON(encoding: self).text.utf8) }
  }
}
