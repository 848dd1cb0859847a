import Algorithms
import EventLog

/// The data of a run's page: the results of the commands, an overview to draw, and as many details as fit.
///
/// It consists of chunks, so that a page reads only what it shows. `report` is JSON, and lists the others;
/// `why` is JSON, a ``ReportWhys/Shape`` or null for each cascade; `state-N` is JSON, a ``StateSlice``;
/// `overview`, `rows-N` and `chains-N`, a file of ``ReportChains``, are columns. Whatever a command reports too
/// is equal to what it prints as JSON.
package struct RunReport {
  /// The chunk `report` comes first.
  package let chunks: [ReportChunk]
  /// Whether something was left out that would fit in a larger budget.
  package let isPartial: Bool

  static let cascadesMax = 300
  static let findingsMax = 200
  static let linesMax = 1 << 13
  /// The most roots of cascades that a page names, of all shapes together.
  static let rootsMax = 1 << 13
  private static let mainShare = 0.4
  private static let sliceRows: UInt64 = 1 << 15
  private static let windowsMax = 64
  /// The most that the states of one slice may take before they are compressed.
  private static let stateBytesMax = 1 << 25
  /// The part of the room that is left for the states of the events in the slices.
  private static let stateShare = 0.4
  /// The part of the rest that is left for the cause chains of the runs in the slices.
  private static let chainShare = 0.25
  /// The least limit on events replayed for states and cause chains.
  private static let eventsMin: UInt64 = 1 << 20

  /// Cost: two concurrent passes over the log, and several more over small parts of it.
  ///
  /// - Parameters:
  ///   - sources: Makes the chunk `sources` of the places in the source that the page names, the most
  ///     important first. A page without names has none.
  ///   - pack: Compresses the bytes of a chunk.
  /// - Throws: What these throw, and `AnalysisError` if the log contradicts itself.
  package init(
    _ log: LogSource, _ options: ReportOptions, sources: (([String]) throws -> [UInt8])? = nil,
    progress: AnalysisProgress = .hidden, pack: @escaping @Sendable ([UInt8]) throws -> [UInt8]
  ) throws {
    let selection = try Selection(in: log)
    let names = ReportNames(hasNames: options.hasNames)
    // Lint takes as long as all other analyses together, so it runs concurrently.
    let lintWork = Self.lintWork(log, selection.seqs, logName: names.log(log.path))
    // The log must not be in use any more when this returns.
    defer { _ = try? lintWork.value() }
    var all = Together(
      CascadeFeed(ReportedCascades(selection, by: .waste, keepsSights: true)),
      Together(HotCounter(selection), RunOverview(log)))
    let run = try log.play(to: &all, progress: progress)
    // Parts of the log are replayed again below, but damage is reported for the whole log.
    let isOfPart = log.damage.isOfPart
    defer { log.damage.isOfPart = isOfPart }
    let hot = all.b.a.report(run)
    var overview = all.b.b
    overview.replaceNames(names)
    let loss = UnreadEvents(log)
    // Events after damage are not in the page.
    let lastSeq = log.damage.unreadSeq == nil ? log.lastSeq : log.firstSeq + overview.eventCount - 1
    let cascades =
      lastSeq == log.lastSeq
      ? all.a.sink.sighted(most: Self.cascadesMax)
      : all.a.sink.sighted(most: Self.cascadesMax, upTo: lastSeq)
    let eventsMax = max(Self.eventsMin, UInt64(log.eventCount) / 4)

    // Single events: those that took longest, the evidence of findings, and the other ends of cascades.
    // Stand-ins for names are numbered in order of use, so with hidden names the slices are made at the end.
    let worst = cascades.sights.map(\.worst)
    let ends = cascades.report.lines.flatMap { [$0.first, $0.last] }
    let (path, limits) = (log.path, log.limits)
    let sliceWork =
      names.isHidden
      ? nil
      : SideWork { [hasValues = options.hasValues, room = Int(Self.usualRoom(options))] in
        try Self.slices(
          try LogSource(path: path, limits: limits),
          around: { worst + (try lintWork.value().evidence) + ends },
          hasValues: hasValues, ReportNames(hasNames: true), room: room, pack)
      }
    defer { _ = try? sliceWork?.value() }
    let whys = try ReportWhys(cascades.sights, log, hasValues: options.hasValues, names, eventsMax: eventsMax)
    let lint = try lintWork.value()

    var packer = ReportPacker(room: options.budget, pack: pack)
    var most = 2 * Self.cascadesMax
    var (main, reserved): (Main, Int)
    repeat {
      most /= 2
      main = Main(
        log: log, options, overview, lint: lint.report, hot: hot, hotMax: min(Self.linesMax, 32 * most),
        cascades: CascadeReport(
          lines: Array(cascades.report.lines.prefix(most)), forgotten: cascades.report.forgotten),
        sights: Array(cascades.sights.prefix(most)), names)
      main.loss = loss
      main.lastSeq = lastSeq
      main.hiddenFindings = lint.hidden
      main.hiddenCascades = cascades.hidden + cascades.report.forgotten + max(0, cascades.sights.count - most)
      // The chunk's directory still grows.
      reserved = try packer.measure(main.bytes()) + 4096
    } while Double(reserved) > Self.mainShare * Double(options.budget) && most > 1
    packer.room -= reserved
    let sights = Array(cascades.sights.prefix(most))

    var lanes = overview.lanesMax
    while try !packer.add("overview", overview.file(hot, lanesMax: lanes, run, names), share: 0.6), lanes > 1
    {
      lanes /= 2
    }
    var shapes = Array(whys.shapes.prefix(most))
    while try !packer.add("why", Array(PrintedJSON(encoding: shapes).text.utf8), share: 0.3), !shapes.isEmpty
    {
      shapes.removeLast((shapes.count + 1) / 2)
    }
    main.whyCount = shapes.count { $0 != nil }
    if let sources, !names.isHidden {
      let sites = lint.report.findings.flatMap(\.sites.all) + shapes.flatMap { $0?.sites ?? [] }
      _ = try packer.add("sources", sources(Array(sites.uniqued())), share: 0.3)
    }
    let stateRoom = options.hasValues ? Int(Double(packer.room) * Self.stateShare) : 0
    let chainRoom = Int(Double(packer.room - stateRoom) * Self.chainShare)
    packer.room -= stateRoom + chainRoom
    let around = { worst + lint.evidence + ends }
    var slices =
      try sliceWork?.value()
      ?? Self.slices(
        log, around: around, hasValues: options.hasValues, names, room: packer.room, pack)
    if slices.reduce(0, { $0 + $1.chunk.packed.count }) > packer.room {
      slices = try Self.windows(
        log, around: around(), hasValues: options.hasValues, names, room: packer.room, pack)
    }
    let kept = slices.filter { packer.add($0.chunk) }.map(\.seqs)
    packer.room += chainRoom
    main.slices = Self.bounds(kept.sorted { $0.lowerBound < $1.lowerBound })
    main.chains = Self.bounds(try Self.addChains(kept, log, names, eventsMax: eventsMax, &packer))
    packer.room += stateRoom
    if options.hasValues {
      main.states = Self.bounds(try Self.addStates(kept, log, eventsMax: eventsMax, &packer))
    }

    let rows = main.slices.reduce(0) { $0 + ($1[1] - $1[0]) }
    isPartial = packer.hasRefused || rows < overview.eventCount || sights.count < cascades.sights.count
    // There is no page without this chunk, so it is included even if it exceeds the budget.
    chunks = [ReportChunk(name: "report", packed: try pack(main.bytes()))] + packer.chunks
  }

  private struct Findings: Sendable {
    var report: LintReport
    /// The number of findings left out.
    var hidden: Int

    /// The first event that each finding is based on.
    var evidence: [UInt64] { report.findings.compactMap(\.events.first) }
  }

  private static func lintWork(
    _ log: LogSource, _ seqs: Range<UInt64>, logName: String
  ) -> SideWork<Findings> {
    SideWork { [path = log.path, limits = log.limits] in
      var tally = LintTally(LintThresholds(), in: seqs)
      let log = try LogSource(path: path, limits: limits)
      let run = try log.play(to: &tally)
      var found = tally.report(LintRule.allCases, run, most: findingsMax, logName: logName)
      try found.report.predict(in: log, counting: seqs)
      return Findings(report: found.report, hidden: found.hidden)
    }
  }

  /// What is usually left for events by what is added before them. If less is left, they are chosen again.
  private static func usualRoom(_ options: ReportOptions) -> Double {
    0.75 * Double(options.budget) * (options.hasValues ? 1 - stateShare : 1) * (1 - chainShare)
  }

  /// Adds the states of the events in slices, as far as they fit. The slices are in order of importance.
  ///
  /// - Returns: The ranges of which the states were added.
  private static func addStates(
    _ slices: [Range<UInt64>], _ log: LogSource, eventsMax: UInt64, _ packer: inout ReportPacker
  ) throws -> [Range<UInt64>] {
    if log.hasLostState { return [] }
    var added: [Range<UInt64>] = []
    // The state before a slice is needed only where the page does not have the slice before that.
    for run in stretches(of: slices, log, before: 0, eventsMax: eventsMax) {
      try StateSlice.forEach(in: run, of: log, bytesMax: stateBytesMax) { slice in
        guard try packer.add("state-\(slice.seqs.lowerBound)", slice.file, share: 1) else { return false }
        added.append(slice.seqs)
        return true
      }
    }
    return added.sorted { $0.lowerBound < $1.lowerBound }
  }

  /// Adds the cause chains of the runs in slices, as far as they fit. The slices are in order of importance.
  ///
  /// - Returns: The ranges of which the chains were added.
  private static func addChains(
    _ slices: [Range<UInt64>], _ log: LogSource, _ names: ReportNames, eventsMax: UInt64,
    _ packer: inout ReportPacker
  ) throws -> [Range<UInt64>] {
    if log.hasLostState { return [] }
    let sorted = slices.sorted { $0.lowerBound < $1.lowerBound }
    var added: [Range<UInt64>] = []
    for run in stretches(of: slices, log, before: ReportChains.lead, eventsMax: eventsMax) {
      let chains = try ReportChains(run, of: log, names, eventsMax: eventsMax) { seq in
        let index = sorted.partitioningIndex { $0.upperBound > seq }
        return index < sorted.count && sorted[index].contains(seq)
      }
      for (seqs, bytes) in chains.files where try packer.add("chains-\(seqs.lowerBound)", bytes, share: 1) {
        added.append(seqs)
      }
    }
    return added.sorted { $0.lowerBound < $1.lowerBound }
  }

  /// Slices that follow one another, the most important first, as many as can be read again.
  ///
  /// - Parameters:
  ///   - slices: In order of importance.
  ///   - lead: How many events before them are read too.
  private static func stretches(
    of slices: [Range<UInt64>], _ log: LogSource, before lead: UInt64, eventsMax: UInt64
  ) -> [[Range<UInt64>]] {
    let costs = log.startCosts()
    let importance = Dictionary(uniqueKeysWithValues: slices.enumerated().map { ($1.lowerBound, $0) })
    func rank(_ run: some Sequence<Range<UInt64>>) -> Int {
      run.lazy.compactMap { importance[$0.lowerBound] }.min() ?? .max
    }
    let runs = slices.sorted { $0.lowerBound < $1.lowerBound }.chunked { $0.upperBound == $1.lowerBound }
      .map(Array.init).sorted { rank($0) < rank($1) }
    var spent: UInt64 = 0
    let affordable = runs.prefix { run in
      let (start, end) = (run[0].lowerBound - min(run[0].lowerBound, lead), run[run.count - 1].upperBound)
      spent += costs.cost(of: start) + (end - start)
      return spent <= eventsMax
    }
    return Array(runs.prefix(max(1, affordable.count)))
  }

  private struct Slice: Sendable {
    var seqs: Range<UInt64>
    var chunk: ReportChunk
  }

  private static func bounds(_ ranges: [Range<UInt64>]) -> [[UInt64]] {
    ranges.map { [$0.lowerBound, $0.upperBound] }
  }

  /// All events; or, if they take more than the room, those around `seqs`.
  private static func slices(
    _ log: LogSource, around seqs: () throws -> [UInt64], hasValues: Bool, _ names: ReportNames, room: Int,
    _ pack: ([UInt8]) throws -> [UInt8]
  ) throws -> [Slice] {
    let all = Self.seqs(of: log)
    // A compressed event takes some six bytes, and the other chunks take about as much.
    guard all.count < room / 8 else {
      return try windows(log, around: seqs(), hasValues: hasValues, names, room: room, pack)
    }
    var slices: [Slice] = []
    var left = room
    var first = all.lowerBound
    while first < all.upperBound {
      let end = min(first + sliceRows, all.upperBound)
      if let slice = try Self.slice(log, first..<end, hasValues: hasValues, names, pack) {
        left -= slice.chunk.packed.count
        if left < 0 {
          return try windows(log, around: seqs(), hasValues: hasValues, names, room: room, pack)
        }
        slices.append(slice)
      }
      first = end
    }
    return slices
  }

  /// The events around `seqs`, in order of importance, and then as many of the others as fit, from the first
  /// on. Together they fit in the room, and each window takes at most a quarter of what is left; so they get
  /// smaller as the room fills up.
  private static func windows(
    _ log: LogSource, around seqs: [UInt64], hasValues: Bool, _ names: ReportNames, room: Int,
    _ pack: ([UInt8]) throws -> [UInt8]
  ) throws -> [Slice] {
    let all = Self.seqs(of: log)
    var slices: [Slice] = []
    var windows: [Range<UInt64>] = []
    var left = room
    var reach: UInt64 = 1 << 12
    for seq in seqs where windows.count < windowsMax {
      if !all.contains(seq) || windows.contains(where: { $0.contains(seq) }) { continue }
      // Windows do not overlap: each ends where its neighbours begin.
      let from = windows.map(\.upperBound).filter { $0 <= seq }.max() ?? all.lowerBound
      let to = windows.map(\.lowerBound).filter { $0 > seq }.min() ?? all.upperBound
      while true {
        let window = max(from, seq - min(seq, reach >> 4))..<min(to, seq + reach)
        guard let slice = try Self.slice(log, window, hasValues: hasValues, names, pack) else {
          windows.append(window)
          break
        }
        if slice.chunk.packed.count <= left / 4 {
          windows.append(window)
          slices.append(slice)
          left -= slice.chunk.packed.count
          break
        }
        if reach == 1 { return slices }
        reach >>= 2
      }
    }
    let known = windows.sorted { $0.lowerBound < $1.lowerBound }
    let starts = [all.lowerBound] + known.map(\.upperBound)
    for (start, end) in zip(starts, known.map(\.lowerBound) + [all.upperBound]) {
      var first = start
      while first < end {
        let rest = first..<min(first + sliceRows, end)
        guard let slice = try Self.slice(log, rest, hasValues: hasValues, names, pack) else { break }
        left -= slice.chunk.packed.count
        if left < 0 { return slices }
        slices.append(slice)
        first = rest.upperBound
      }
    }
    return slices
  }

  /// The readable events of a range; nil if there are none.
  private static func slice(
    _ log: LogSource, _ seqs: Range<UInt64>, hasValues: Bool, _ names: ReportNames,
    _ pack: ([UInt8]) throws -> [UInt8]
  ) throws -> Slice? {
    let slice = try RowSlice(log, seqs, hasValues: hasValues, names)
    if slice.seqs.isEmpty { return nil }
    let chunk = ReportChunk(name: "rows-\(slice.seqs.lowerBound)", packed: try pack(slice.file))
    return Slice(seqs: slice.seqs, chunk: chunk)
  }

  private static func seqs(of log: LogSource) -> Range<UInt64> {
    log.lastSeq < log.firstSeq ? 0..<0 : log.firstSeq..<(log.lastSeq + 1)
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
      /// The roots of all its cascades: the first, then how much farther on each next one is. Nil if they are too many.
      var roots: [UInt64]?
      var worst: UInt64
      var worstTime: UInt64
      /// For transactions, what they wrote: `set path`.
      var writes: [String]?
      /// By node of the tree, in preorder: a run for that node, or 0 if nothing ran. Present only if the page
      /// can query the tool.
      var examples: [UInt64]?

      enum CodingKeys: String, CodingKey {
        case spread, roots, writes, examples
        case worst = "worst_seq"
        case worstTime = "worst_time_ns"
      }
    }

    private static let liveMost = 1_000

    let version = 1
    /// The name of the log's file, for commands.
    var log: String
    var info: LogSummary
    var firstSeq: UInt64
    /// The last event that could be read.
    var lastSeq: UInt64
    /// The events that are missing because the log is damaged.
    var loss: UnreadEvents?
    var firstTime: UInt64
    var lastTime: UInt64
    /// The totals of all projections.
    var evaluations: Int
    var wasted: Int
    var writes: Int
    var time: UInt64
    var wastedTime: UInt64
    var hasValues: Bool
    var hasNames: Bool
    var lint: LintReport
    var hiddenFindings = 0
    var rules: [String: Rule]
    var hot: HotReport
    var hiddenProjections: Int
    var hiddenPaths: Int
    var cascades: CascadeReport
    var hiddenCascades = 0
    /// By cascade.
    var sights: [Sight]
    var marks: [RunOverview.Mark]
    var markCount: Int
    /// The newest of them, as of the marks.
    var actions: [RunOverview.Action]
    var actionCount: Int
    /// Where in the source events were made; none if names are hidden.
    var places: [RunOverview.Place]
    var reads: [ViewReads.Line]
    /// The number of cascades that have chains.
    var whyCount = 0
    /// The ranges of events after each of which the state is included; each lies within a slice.
    var states: [[UInt64]] = []
    /// The slices for whose runs there are cause chains.
    var chains: [[UInt64]] = []
    /// The ranges of the slices: the first seq, and the seq after the last.
    var slices: [[UInt64]] = []

    enum CodingKeys: String, CodingKey {
      case version, log, info
      case firstSeq = "first_seq"
      case lastSeq = "last_seq"
      case firstTime = "first_time_ns"
      case lastTime = "last_time_ns"
      case loss
      case evaluations, wasted, writes
      case time = "time_ns"
      case wastedTime = "wasted_time_ns"
      case hasValues = "has_values"
      case hasNames = "has_names"
      case lint
      case hiddenFindings = "hidden_findings"
      case rules, hot
      case hiddenProjections = "hidden_projections"
      case hiddenPaths = "hidden_paths"
      case cascades
      case hiddenCascades = "hidden_cascades"
      case sights, marks
      case markCount = "mark_count"
      case actions, places, reads
      case actionCount = "action_count"
      case whyCount = "why_count"
      case states, chains, slices
    }

    init(
      log: LogSource, _ options: ReportOptions, _ overview: RunOverview, lint: LintReport, hot: HotReport,
      hotMax: Int, cascades: CascadeReport, sights: [CascadeSights], _ names: ReportNames,
      info: LogSummary? = nil, lastSeq: UInt64? = nil
    ) {
      self.log = names.log(log.path)
      // The app's metadata may be anything, so it is shown only with values.
      self.info = info ?? LogSummary(log, names, hasValues: options.hasValues)
      firstSeq = log.firstSeq
      self.lastSeq = lastSeq ?? log.lastSeq
      firstTime = overview.firstTime
      lastTime = overview.lastTime
      evaluations = overview.runs.evaluations
      wasted = overview.runs.wasted
      writes = overview.writes
      time = overview.runs.time
      wastedTime = overview.runs.wastedTime
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
      self.cascades = cascades.replacingNames(names)
      var rootsLeft = RunReport.rootsMax
      self.sights = sights.map { sight in
        let roots = sight.roots.sorted()
        let hasRoots = !roots.isEmpty && roots.count <= rootsLeft
        if hasRoots { rootsLeft -= roots.count }
        return Sight(
          spread: sight.spread, roots: hasRoots ? zip(roots, [0] + roots).map { $0 - $1 } : nil,
          worst: sight.worst, worstTime: sight.worstTime,
          writes: sight.writes.isEmpty ? nil : sight.writes.map { names.title($0) })
      }
      // A live page can query the tool about any event, so it gets the examples.
      if lastSeq != nil {
        for (index, sight) in sights.enumerated() { self.sights[index].examples = sight.examples.map(\.seq) }
      }
      // A page of a run that goes on gets them over and over.
      let isLive = lastSeq != nil
      marks = Array(overview.marks.suffix(isLive ? Self.liveMost : RunOverview.marksMax))
      markCount = overview.markCount
      actions = overview.actions(most: isLive ? Self.liveMost : min(RunOverview.actionsMax, hotMax), names)
      actionCount = overview.actionCount
      places =
        names.isHidden
        ? [] : overview.places.prefix(hotMax).map { .init(site: $0.site.siteForReport, seq: $0.seq) }
      reads = overview.reads.lines(names)
      hasNames = options.hasNames
      self.hot.replaceNames(names)
      self.lint.replaceNames(names)
    }

    func bytes() throws -> [UInt8] { Array(try PrintedJSON(encoding: self).text.utf8) }
  }
}
