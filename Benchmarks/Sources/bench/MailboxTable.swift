import BenchMailbox
import BenchSupport
import EventLog
import Foundation
import Projection

/// A day at the mail app: how long each kind of action takes, what is allocated by the hour, and the size of
/// the log.
///
/// The same person does the same things in each world; only the ids differ. The time of an action includes
/// everything that follows from it, and the pause that runs delayed callbacks.
struct MailboxTable {
  private let messages: Int
  private let hours: Int
  private let seed: UInt64
  private let log: String?
  private let contender: String?

  static let title = "mailbox"

  /// - Parameters:
  ///   - log: Where to keep the log; nil to remove it.
  ///   - contender: Measures the contenders whose names contain this; nil for all.
  init(messages: Int, hours: Int, seed: UInt64, log: String?, only contender: String?) {
    self.messages = messages
    self.hours = hours
    self.seed = seed
    self.log = log
    self.contender = contender
  }

  func run() throws {
    print("\n\(Self.title), \(messages) messages, \(hours) hours, seed \(seed)")
    if isMeasured("plain @Observable") {
      measure { MailRun(observedWith: messages, seed: seed, ids: .random) }
    }
    if isMeasured("in a session that records nothing") {
      let clock = MailClock()
      let session = Session(clock: clock)
      measure { MailRun(in: session, clock: clock, messages: messages, seed: seed, ids: .random) }
      try session.close()
    }
    if isMeasured("recorded to a file") { try measureRecording(asActions: false) }
    if isMeasured("recorded to a file, with actions") { try measureRecording(asActions: true) }
  }

  /// Prints the name of a contender, and returns whether it is measured.
  private func isMeasured(_ name: String) -> Bool {
    if let contender, !name.contains(contender) { return false }
    print("  \(name)")
    return true
  }

  /// - Parameter asActions: Whether what the person and the clock do is an action in the log.
  private func measureRecording(asActions: Bool) throws {
    let kept = log.map { URL(filePath: $0) }
    let url = kept ?? FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID()).evlog")
    // A file that is left over is in the temporary folder; that is no reason to stop without the figures.
    defer { if kept == nil { try? FileManager.default.removeItem(at: url) } }
    let clock = MailClock()
    let session = try Session(recordingTo: url, clock: clock)
    measure {
      MailRun(in: session, clock: clock, messages: messages, seed: seed, ids: .random)
    } perform: { action, body in
      if asActions { session.action(action.rawValue, body) } else { body() }
    }
    let closing = try ContinuousClock().measure { try session.close() }
    for diagnostic in session.diagnostics { print("    \(diagnostic)") }
    try report(of: LogReader(path: url.path), closedIn: closing)
  }

  private func measure(
    _ begin: () -> MailRun, perform: @escaping (MailAction, () -> Void) -> Void = { $1() }
  ) {
    let clock = ContinuousClock()
    let before = MemoryTable.settledBytes()
    var run: MailRun?
    let first = clock.measure { run = begin() }
    guard let run else { return }
    var allocated = [MemoryTable.settledBytes() - before]
    var times: [MailAction: [Double]] = [:]
    for hour in 0..<hours {
      run.run(until: .seconds(3_600 * (hour + 1))) { action, body in
        let time = clock.measure { perform(action, body) }
        times[action, default: []].append(time.nanoseconds / 1_000)
      }
      allocated.append(MemoryTable.settledBytes() - before)
    }
    line("first frame", "\((first.nanoseconds / 1e6).short) ms")
    for action in MailAction.allCases {
      guard let times = times[action] else { continue }
      let spread = Spread(times)
      line(
        action.rawValue,
        "\(times.count) times".padded(to: 14) + "\(spread.median.short) us".padded(to: 14)
          + "at most \(spread.greatest.short) us")
    }
    line("all actions", "\((times.values.joined().reduce(0, +) / 1e6).short) s")
    line("MiB by the hour", allocated.map { (Double($0) / 1_048_576).short }.joined(separator: " "))
    let problems = run.check()
    line("oracle", problems.isEmpty ? "finds nothing" : "finds \(problems.count), first: \(problems[0])")
  }

  /// Prints what the log holds.
  private func report(of reader: LogReader, closedIn closing: Duration) throws {
    var counts: [String: Int] = [:]
    var paths = 0
    // For each event, whether an action is at the beginning of its causes.
    var isOfAction = [false]
    var runsOfActions = 0
    try reader.forEachEvent { event in
      counts[event.body.kind.name, default: 0] += 1
      isOfAction.append(event.body.kind == .action || event.cause.map { isOfAction[Int($0)] } ?? false)
      if event.body.kind == .evaluate, isOfAction[Int(event.seq)] { runsOfActions += 1 }
      if case .reads(_, .change(let added, let dropped)) = event.body { paths += added.count + dropped.count }
    }
    line("closed in", "\((closing.nanoseconds / 1e6).short) ms")
    line("log", "\(reader.byteCount) bytes, \(reader.eventCount) events")
    if runsOfActions > 0, let runs = counts["evaluate"] {
      line("of actions", "\(runsOfActions) of \(runs) runs")
    }
    for (kind, count) in counts.sorted(by: { $0.value > $1.value }) {
      line("  \(kind)", kind == "reads" ? "\(count), of \(paths) paths" : "\(count)")
    }
  }

  private func line(_ name: String, _ text: String) { printNow("    \(name.padded(to: 18))\(text)") }
}
