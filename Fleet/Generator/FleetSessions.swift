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

  func validate() throws {
    if sessions < 1 { throw ValidationError("--sessions must be 1 or more") }
  }

  func run() throws {
    let pool = try UsePool(seed: seed, uses: min(400, max(20, sessions / 20)))
    let (count, seed, folder) = (sessions, seed, into)
    for number in 0...((count - 1) / FleetSession.inFolder) {
      try FileManager.default.createDirectory(
        atPath: FleetSession.folder(number, in: folder), withIntermediateDirectories: true)
    }
    let workers = ProcessInfo.processInfo.activeProcessorCount
    let failures = Failures()
    DispatchQueue.concurrentPerform(iterations: workers) { worker in
      for number in stride(from: worker, to: count, by: workers) {
        do { try FleetSession(number, seed: seed).write(from: pool, into: folder) } catch {
          return failures.note(error)
        }
      }
    }
    if let error = failures.first { throw error }
    print("\(folder): \(count) sessions, of \(pool.uses.count) uses")
  }
}

/// The first error of several threads.
private final class Failures: @unchecked Sendable {
  private let lock = NSLock()
  private var error: (any Error)?

  var first: (any Error)? { lock.withLock { error } }

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
    let isSample = random.below(10) == 0
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
      if case .evaluate(let name, let duration, let changed, let inputChanged) = event.body {
        let noise = 0.7 + Double(random.below(1_000)) / 1_250
        let slowed = UInt64(Double(min(duration, Self.durationMax)) * device.speed * noise)
        event.body = .evaluate(
          projection: name, duration: slowed, changed: changed, inputChanged: inputChanged)
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

  /// More events of a sample would add no information here.
  private static let sampleEventsMax = 4_000

  init(seed: UInt64, uses count: Int) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fleet-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "use.evlog")
    var options = LogOptions.replacingExisting
    options.timeUnit = .nanoseconds
    for app in sampleApps where app.name != "mailbox" {
      let session = try app.session(recordingTo: file, options: options)
      app.run(in: session)
      try session.close()
      let events = try Self.events(of: file)
      if events.count <= Self.sampleEventsMax { uses.append(Use(app: app.name, events: events)) }
    }
    for number in 0..<count {
      var recorded: [[Event]] = []
      for isFaulty in [false, true] {
        let session = try Session(recordingTo: file, clock: MailClock(), options: options)
        let use = MailUse(in: session, seed: seed &+ UInt64(number), isFaulty: isFaulty)
        use.run()
        try session.close()
        recorded.append(try Self.events(of: file))
      }
      uses.append(Use(app: "mail", events: recorded[0], faulty: recorded[1]))
    }
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

  func run() {
    var steps = 0
    while mail.now < .seconds(60 * minutes), steps < 2_000 {
      mail.step()
      presence.polls += 1
      if steps % 40 == 0 { presence.online = steps / 40 % 16 }
      steps += 1
    }
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
