import EventLog
import Foundation
import Projection
import Testing

/// A program that is recorded, and then driven through itself.
struct SelfDrive {
  let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "drive-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  var recorded: URL { directory.appending(path: "recorded.evlog") }
  var driven: URL { directory.appending(path: "driven.evlog") }

  func remove() { try? FileManager.default.removeItem(at: directory) }

  /// Records a program.
  func record(_ body: (Session) throws -> Void) throws {
    let session = try Session(recordingTo: recorded)
    try body(session)
    try session.close()
  }

  /// Writes a log of JSON lines, with the times that these have.
  func write(_ lines: String) throws {
    let writer = try LogWriter(creating: recorded.path)
    var (seq, time): (UInt64, UInt64) = (0, 0)
    for line in lines.split(separator: "\n") {
      seq += 1
      let event = try ParsedEvent(parsing: String(line)).event(seq: seq, time: time, sameValue: false)
      time = event.time
      try writer.append(event)
    }
    try writer.close()
  }

  /// Drives the recording.
  @discardableResult
  func drive(
    migrations: [Migration] = [], types: [RestorableType] = [], applying writes: DrivenWrites = .uncaused,
    _ body: (Drive) throws -> Void
  ) throws -> [DriveProblem] {
    let drive = try Drive(
      Recording(recorded, migrations: migrations, types: types), recordingTo: driven, applying: writes,
      options: .replacingExisting)
    try body(drive)
    try drive.run()
    try drive.session.close()
    return drive.problems
  }

  /// Records a script on a model, with views and callbacks mounted for it. Then drives the recording through
  /// the same program, and expects that both logs are equal.
  ///
  /// - Returns: How often each projection ran.
  @discardableResult
  static func expectSame<Model: RecordedObject>(
    _ model: Model, mount: (Model, Session) -> Void, sourceLocation: SourceLocation = #_sourceLocation,
    script: (Model, Session) -> Void
  ) throws -> [String: Int] {
    let drive = try SelfDrive()
    defer { drive.remove() }
    try drive.record { session in
      session.attach(model, as: "model")
      mount(model, session)
      script(model, session)
    }
    let problems = try drive.drive { mount(try $0.attach(Model.self, root: "model"), $0.session) }
    #expect(problems == [], sourceLocation: sourceLocation)
    #expect(try drive.difference() == nil, sourceLocation: sourceLocation)
    return try evaluations(in: drive.driven)
  }

  /// How often each projection ran.
  static func evaluations(in log: URL) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    try LogReader(path: log.path).forEachEvent {
      if case .evaluate(let name, _, _, _, _) = $0.body { counts[name, default: 0] += 1 }
    }
    return counts
  }

  /// The first lines in which the logs differ, times left out; nil if they do not differ.
  func difference() throws -> String? {
    let (a, b) = (try Self.lines(recorded), try Self.lines(driven))
    if a == b { return nil }
    let common = zip(a, b).prefix { $0 == $1 }.count
    func part(_ lines: [String]) -> String {
      lines[max(0, common - 3)..<min(lines.count, common + 6)].joined(separator: "\n")
    }
    return "after \(common) of \(a.count) and \(b.count) events:\n\(part(a))\nand driven:\n\(part(b))"
  }

  /// The events of a log without times and durations.
  static func lines(_ log: URL) throws -> [String] {
    var lines: [String] = []
    try LogReader(path: log.path).forEachEvent { event in
      var event = event
      event.time = 0
      if case .evaluate(let name, _, let changed, _, _) = event.body {
        event.body = .evaluate(projection: name, duration: 0, changed: changed)
      }
      lines.append(event.json(statesSameValue: true))
    }
    return lines
  }
}
