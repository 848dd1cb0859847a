import ArgumentParser
import EventLog
import Foundation
import Mailbox
import Projection
import SampleApps

/// Makes the logs of many sessions: of the mail app under random use, and of small samples, in three
/// versions, on five classes of devices.
///
/// Some hundred uses are recorded. Each session is one of them, at the speed of its device. One version has a
/// fault on one class of devices, which the summaries have to show: `Fleet/check.py` looks for it.
@main
struct FleetSessions: ParsableCommand {
  @Option(help: "How many sessions.")
  var sessions = 1_000

  @Option(help: "Where the logs go.")
  var into: String

  @Option(help: "The seed of all random choices.")
  var seed: UInt64 = 1

  @Option(help: "Each session is so many events of the mail app, instead of some minutes of one of the apps.")
  var events: Int?

  func validate() throws {
    if sessions < 1 { throw ValidationError("--sessions must be 1 or more") }
    if let events, events < 1 { throw ValidationError("--events must be 1 or more") }
  }

  func run() throws {
    let pool =
      if let events {
        // Each is in memory twice.
        try UsePool(seed: seed, uses: 12, events: events)
      } else {
        try UsePool(seed: seed, uses: min(400, max(20, sessions / 20)))
      }
    let (count, seed, folder) = (sessions, seed, into)
    for number in 0...((count - 1) / FleetSession.inFolder) {
      try FileManager.default.createDirectory(
        atPath: FleetSession.folder(number, in: folder), withIntermediateDirectories: true)
    }
    _ = try onAllCores(count) { try FleetSession($0, seed: seed).write(from: pool, into: folder) }
    print("\(folder): \(count) sessions, of \(pool.uses.count) uses")
  }
}

/// Does something for each number below a count, several at a time, and returns what came of each.
private func onAllCores<Result: Sendable>(
  _ count: Int, _ work: @escaping @Sendable (Int) throws -> Result
) throws -> [Result] {
  let workers = ProcessInfo.processInfo.activeProcessorCount
  let done = Done<Result>()
  DispatchQueue.concurrentPerform(iterations: workers) { worker in
    for number in stride(from: worker, to: count, by: workers) {
      do { done.note(try work(number), of: number) } catch { return done.note(error) }
    }
  }
  if let error = done.error { throw error }
  return done.results.sorted { $0.key < $1.key }.map(\.value)
}

/// What several threads have done, and the first error of one.
private final class Done<Result: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private(set) var results: [Int: Result] = [:]
  private(set) var error: (any Error)?

  func note(_ result: Result, of number: Int) { lock.withLock { results[number] = result } }

  func note(_ error: any Error) { lock.withLock { self.error = self.error ?? error } }
}

/// One session: its version, its device, and its user's actions.
private struct FleetSession {
  static let inFolder = 1_000
  static let versions = ["1.4", "1.5", "1.6"]
  /// The duration of an operation on each class of devices, as a multiple of that on this machine.
  static let devices = [
    ("phone-small", 3.0), ("phone", 1.6), ("tablet", 1.2), ("laptop", 0.8), ("desktop", 0.6),
  ]

  /// In nanoseconds. No operation takes longer than this by itself; if one did, this machine was busy with
  /// something else.
  private static let durationMax: UInt64 = 300_000

  private let number: Int
  private let version: String
  private let device: (name: String, speed: Double)
  private var random: SplitMix

  init(_ number: Int, seed: UInt64) {
    self.number = number
    random = SplitMix(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(number))
    version = Self.versions[random.below(Self.versions.count)]
    device = Self.devices[random.below(Self.devices.count)]
  }

  /// The fault that is to be found.
  private var isFaulty: Bool { version == "1.6" && device.name == "phone-small" }

  static func folder(_ number: Int, in folder: String) -> String { "\(folder)/\(number)" }

  func write(from pool: UsePool, into folder: String) throws {
    var random = random
    let isSample = random.below(10) == 0 && pool.hasSamples
    let uses = pool.uses.indices.filter { pool.uses[$0].app == "mail" ? !isSample : isSample }
    let use = pool.uses[uses[random.below(uses.count)]]
    var options = LogOptions()
    // A session that showed a hang is kept; of the others one in twenty.
    let isHang = random.below(20) == 0
    options.metadata = [
      "session_id": "fleet-\(number)", "app": use.app, "version": version, "device_class": device.name,
      "os": "os-\(17 + random.below(3))", "sampling_weight": isHang ? "1" : "20",
      "trigger": isHang ? "hang" : "sample",
    ]
    options.program = use.app
    options.replacesExisting = true
    options.timeUnit = .nanoseconds
    let file = "\(Self.folder(number / Self.inFolder, in: folder))/\(number).evlog"
    let writer = try LogWriter(creating: file, options: options)
    for event in isFaulty ? use.faulty ?? use.events : use.events {
      var event = event
      if case .evaluate(let name, let duration, let changed, let inputChanged, let comparing) = event.body {
        let noise = 0.7 + Double(random.below(1_000)) / 1_250
        let slowed = UInt64(Double(min(duration, Self.durationMax)) * device.speed * noise)
        event.body = .evaluate(
          projection: name, duration: slowed, changed: changed, inputChanged: inputChanged,
          comparing: min(comparing, slowed))
      }
      try writer.append(event)
    }
    try writer.close()
  }
}

/// Recorded uses of apps.
private struct UsePool: Sendable {
  struct Use: Sendable {
    var app: String
    var events: [Event]
    /// The same use of the app with the fault; nil for an app that has none.
    var faulty: [Event]?
  }

  private(set) var uses: [Use] = []
  var hasSamples: Bool { uses.contains { $0.app != "mail" } }

  /// More events of a sample would add no information here.
  private static let sampleEventsMax = 4_000

  /// - Parameter events: Uses are so long, and of the mail app alone; nil for some minutes, and the samples beside it.
  init(seed: UInt64, uses count: Int, events: Int? = nil) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fleet-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    if events == nil {
      let file = folder.appending(path: "sample.evlog")
      for app in sampleApps where app.name != "mailbox" {
        let session = try app.session(recordingTo: file, options: Self.options)
        app.run(in: session)
        try session.close()
        let events = try Self.events(of: file)
        if events.count <= Self.sampleEventsMax { uses.append(Use(app: app.name, events: events)) }
      }
    }
    uses += try onAllCores(count) { number in
      let recorded = try [false, true].map { isFaulty in
        let file = folder.appending(path: "\(number).evlog")
        let session = try Session(recordingTo: file, clock: MailClock(), options: Self.options)
        let use = MailUse(in: session, seed: seed &+ UInt64(number), isFaulty: isFaulty)
        if let events {
          repeat { use.run(steps: 500) } while try Self.eventCount(of: file, session) < events
        } else {
          use.run()
        }
        try session.close()
        // Without its end, a log is one of a program that was killed.
        return Array(try Self.events(of: file).prefix(events ?? .max))
      }
      return Use(app: "mail", events: recorded[0], faulty: recorded[1])
    }
  }

  private static var options: LogOptions {
    var options = LogOptions.replacingExisting
    options.timeUnit = .nanoseconds
    return options
  }

  private static func eventCount(of file: URL, _ session: Session) throws -> Int {
    try session.sync(.written)
    return try Int(LogReader(path: file.path).eventCount)
  }

  private static func events(of file: URL) throws -> [Event] {
    var events: [Event] = []
    try LogReader(path: file.path).forEachEvent { events.append($0) }
    return events
  }
}

/// Some minutes of the mail app, which has a list of contacts beside it.
private struct MailUse {
  @Recorded final class Presence {
    /// How many contacts are there.
    var online = 0
    /// How often the server was asked.
    var polls = 0
  }

  private let presence = Presence()
  private let mail: MailRun
  private let minutes: Int

  /// - Parameter isFaulty: Whether each contact's dot follows the polls too, which it does not show.
  init(in session: Session, seed: UInt64, isFaulty: Bool) {
    var random = SplitMix(seed: seed)
    minutes = 1 + random.below(3)
    session.attach(presence, as: "presence")
    session.projection("Contacts") { [presence] contacts in
      for contact in 0..<16 {
        contacts.child("Dot", id: contact, input: contact) { _ in
          if isFaulty { _ = presence.polls }
          return contact < presence.online ? "contact \(contact) is here" : "contact \(contact) is away"
        }
      }
      return "contacts"
    }
    mail = MailRun(
      in: session, messages: 20 + random.below(60), rowsShown: 8 + random.below(8), seed: seed,
      ids: .seeded(seed))
  }

  /// Some minutes of use.
  func run() {
    var steps = 0
    while mail.now < .seconds(60 * minutes), steps < 2_000 {
      step(steps)
      steps += 1
    }
  }

  func run(steps: Int) {
    for number in 0..<steps { step(number) }
  }

  private func step(_ number: Int) {
    mail.step()
    presence.polls += 1
    if number % 40 == 0 { presence.online = number / 40 % 16 }
  }
}

/// A small generator of random numbers that starts over from the same seed.
private struct SplitMix {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func below(_ limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ (mixed >> 31)) % UInt64(limit))
  }
}
