import EventLog
import ReplayAnalysis

/// Reads a log, continues as it grows, and publishes the results to a feed.
///
/// It works on the thread that calls it. New events are processed at once, and pages are notified ten times a
/// second. The full report is expensive, so it is made only so often that this takes a tenth of the time.
struct LogFollowing {
  let path: String
  var limits = ReadLimits.standard
  let feed: LiveFeed
  let console: Console

  /// Stands for a problem where there is none but that the log is not there yet.
  private static let waiting = ""
  private static let stepEvents = 1 << 14
  private static let pause: UInt32 = 40
  private static let tellTime = Duration.milliseconds(100)
  private static let makeTime = (moving: Duration.seconds(1), resting: Duration.milliseconds(300))
  private static let makeShare = 10
  private static let firstTime = Duration.milliseconds(200)
  private static let beatTime = Duration.seconds(10)
  private static let lookTime = Duration.seconds(1)
  /// A writer locks a file a moment after creating it, and between two files of a log it has none locked.
  private static let absencesMin = 2

  /// Opens the log; returns nil if it is not there yet, or its program has not yet written the first block.
  static func open(_ path: String, _ limits: ReadLimits = .standard) throws -> LogSource? {
    if isMissing(path) { return nil }
    do { return try LogSource(named: path, limits: limits) } catch let error as LogError {
      guard error.code == .torn || error.code == .notALog && Platform.isEmpty(path) else { throw error }
      return nil
    }
  }

  /// Whether there is no such file yet, though it has the name of a log and may be made in its folder.
  static func isMissing(_ path: String) -> Bool {
    path.lastComponent.contains(".evlog") && Platform.kind(of: path) == nil
      && Platform.isFolder(LogPath(path).directory)
  }

  /// Follows the log until told to stop. If the log cannot be followed, it reports why, and tries again.
  ///
  /// - Parameter first: The log at the path; nil if its first block is not written yet.
  func run(from first: LogSource?, while isWanted: () -> Bool) {
    var next = first
    var told: String?
    while isWanted() {
      do {
        guard let log = try next ?? Self.open(path, limits) else {
          if told != Self.waiting { feed.publish { $0.status.phase = .waiting } }
          told = Self.waiting
          Platform.sleep(milliseconds: Self.pause)
          continue
        }
        next = nil
        var live = try LiveReport(log)
        feed.begin(live.reader)
        told = nil
        var course = Course(feed: feed, console: console)
        while isWanted(), course.step(&live) {}
        if isWanted() { console.report("replay: \(path): another log has this name now; it is followed") }
      } catch {
        next = nil
        let problem = "\(error)"
        if problem != told {
          console.report("replay: \(problem)")
          feed.publish {
            $0.status.phase = .stuck
            $0.status.problem = problem
          }
        }
        told = problem
        rest(while: isWanted)
      }
    }
  }

  /// Waits until the next attempt.
  private func rest(while isWanted: () -> Bool) {
    let began = ContinuousClock.now
    while isWanted(), ContinuousClock.now - began < Self.lookTime {
      Platform.sleep(milliseconds: Self.pause)
    }
  }

  /// Follows one log, and keeps the times at which each thing was last done.
  private struct Course {
    let feed: LiveFeed
    let console: Console
    private let clock = ContinuousClock()
    private let began: ContinuousClock.Instant
    private var made: ContinuousClock.Instant?
    private var cost = Duration.zero
    private var told: ContinuousClock.Instant
    private var beaten: ContinuousClock.Instant
    private var looked: ContinuousClock.Instant
    /// Whether pages must be notified of a change, and whether the chunks are outdated.
    private var isUntold = true
    private var isUnmade = true
    private var hasCaughtUp = false
    private var hasMadeAtEnd = false
    private var phase = LiveFeed.Status.Phase.reading
    private var problem: String?
    /// How often in succession no writer had the log open.
    private var absences = 0
    private var rate = 0
    private var counted: (since: ContinuousClock.Instant, events: Int)

    init(feed: LiveFeed, console: Console) {
      (self.feed, self.console) = (feed, console)
      began = clock.now
      (told, beaten, looked, counted) = (began, began, began, (began, 0))
    }

    /// Processes some events, and publishes them if it is time. Returns false if another log has replaced
    /// this one.
    mutating func step(_ live: inout LiveReport) -> Bool {
      let count = advance(&live)
      if count == 0 { hasCaughtUp = true }
      let now = clock.now
      meet(count, at: now)
      report(phase(of: live))
      do {
        if isMakingDue(now, isResting: count == 0) {
          try make(&live, at: now)
        } else if isUntold, now - told >= LogFollowing.tellTime {
          try tell(live, at: now)
        }
      } catch {
        end("\(error)")
        // Making the chunks again would fail again.
        isUnmade = false
        report(phase(of: live))
        publish(live) { _ in }
      }
      if now - beaten >= LogFollowing.beatTime {
        beaten = now
        feed.beat()
      }
      if count > 0 { return true }
      if now - looked >= LogFollowing.lookTime {
        looked = now
        if live.isReplaced() { return false }
        if let name = live.findNewName() {
          console.report("replay: the log is now named \(name)")
          isUnmade = true
        }
        absences = live.reader.hasWriter == false ? absences + 1 : 0
        report(phase(of: live))
      }
      Platform.sleep(milliseconds: LogFollowing.pause)
      return true
    }

    /// After a problem, the results stay as they are.
    private mutating func advance(_ live: inout LiveReport) -> Int {
      if problem != nil { return 0 }
      do {
        let count = try live.advance(atMost: LogFollowing.stepEvents)
        if let problem = live.problem { end(problem) }
        return count
      } catch {
        end("\(error)")
        return 0
      }
    }

    /// Stops reading the log. What was read so far is still published, including part of a step that failed.
    private mutating func end(_ reason: String) {
      if problem == nil {
        problem = reason
        console.report("replay: \(reason)")
      }
      (isUntold, isUnmade) = (true, true)
    }

    private mutating func meet(_ events: Int, at now: ContinuousClock.Instant) {
      if events > 0 { (isUntold, isUnmade) = (true, true) }
      counted.events += events
      let passed = now - counted.since
      guard passed >= .seconds(1) else { return }
      let last = rate
      rate = Int(Double(counted.events) / (passed / .seconds(1)))
      counted = (now, 0)
      if rate != last { isUntold = true }
    }

    private func phase(of live: borrowing LiveReport) -> LiveFeed.Status.Phase {
      if problem != nil { return .stuck }
      if !hasCaughtUp { return .reading }
      if live.lastSeq == live.lastKnownSeq, live.state == .clean { return .closed }
      return absences >= LogFollowing.absencesMin ? .left : .following
    }

    private mutating func report(_ now: LiveFeed.Status.Phase) {
      if now != phase { isUntold = true }
      phase = now
    }

    private func isMakingDue(_ now: ContinuousClock.Instant, isResting: Bool) -> Bool {
      guard isUnmade else { return false }
      guard let made else { return isResting || now - began >= LogFollowing.firstTime }
      if isResting {
        // When the end is first reached, or the log is closed, the complete report is made at once.
        if !hasMadeAtEnd || phase == .closed { return true }
        return now - made >= max(LogFollowing.makeTime.resting, cost * LogFollowing.makeShare / 2)
      }
      return now - made >= max(LogFollowing.makeTime.moving, cost * LogFollowing.makeShare)
    }

    /// Makes the chunks, and publishes them.
    private mutating func make(_ live: inout LiveReport, at now: ContinuousClock.Instant) throws {
      let chunks = try live.chunks()
      publish(live) {
        $0.report = chunks.report
        $0.overview = chunks.overview
        $0.tile = []
        $0.status.generation += 1
        $0.status.tile = 0
      }
      made = clock.now
      cost = clock.now - now
      isUnmade = false
      if hasCaughtUp { hasMadeAtEnd = true }
      told = now
    }

    /// Publishes the part of the overview that changed.
    private mutating func tell(_ live: borrowing LiveReport, at now: ContinuousClock.Instant) throws {
      let tile = made == nil ? nil : try live.tile()
      publish(live) {
        guard let tile else { return }
        $0.tile = tile
        $0.status.tile += 1
      }
      told = now
    }

    private mutating func publish(
      _ live: borrowing LiveReport, _ change: (inout LiveFeed.Contents) -> Void
    ) {
      let (seq, known, time) = (live.lastSeq, live.lastKnownSeq, live.lastTime)
      feed.publish {
        change(&$0)
        $0.status.seq = seq
        $0.status.known = known
        $0.status.time = time
        $0.status.rate = rate
        $0.status.phase = phase
        $0.status.problem = problem
      }
      isUntold = false
    }
  }
}
