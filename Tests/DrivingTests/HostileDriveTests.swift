import EventLog
import Foundation
import Projection
import Testing

@Recorded private final class Model {
  var count = 0
  var names: [String] = []
  var rows: RecordedArray<Row> = []
  var child: Strict?
}

@Recorded private final class Row: Identifiable {
  let id: Int
  var text = ""

  init(id: Int) { self.id = id }
}

/// Refuses the values that it is created from.
@Recorded private final class Strict {
  let size: Int

  struct TooSmall: Error {}

  init(size: Int) throws {
    if size < 0 { throw TooSmall() }
    self.size = size
  }
}

/// Recordings that are damaged, torn, of another program, or hostile.
@Suite struct HostileDriveTests {
  private static let root =
    #"{"kind":"set","path":"model","value":{"$object":"Model#1","count":0,"names":["a"],"rows":[],"child":null}}"#

  /// Drives lines through the model, and returns the writes, the failures, and why the drive ended.
  private func outcome(
    _ lines: String, types: [RestorableType] = []
  ) throws -> (count: Int, names: [String], problems: [DriveProblem], error: String?) {
    let drive = try SelfDrive()
    defer { drive.remove() }
    try drive.write(Self.root + "\n" + lines)
    let driven = try Drive(Recording(drive.recorded, types: types), recordingTo: drive.driven)
    let model = try driven.attach(Model.self, root: "model")
    driven.session.projection("P") { _ in "\(model.count) \(model.names)" }
    var error: String?
    do { try driven.run() } catch let thrown { error = "\(thrown)" }
    try driven.session.close()
    // The new log is whole.
    _ = try LogReader(path: drive.driven.path).state(at: .max)
    return (model.count, model.names, driven.problems, error)
  }

  @Test func valuesThatDoNotFitAreLeftOutWithEventAndPath() throws {
    let outcome = try outcome(
      """
      {"kind":"set","path":"model.count","value":"text"}
      {"kind":"set","path":"model.names","value":[1,2]}
      {"kind":"splice","path":"model.names","offset":0,"delete":0,"insert":[null]}
      {"kind":"set","path":"model.other","value":1}
      {"kind":"set","path":"model.count","value":7}
      """)
    #expect(outcome.count == 7)
    #expect(outcome.names == ["a"])
    #expect(
      outcome.problems.map { "\($0.event) \($0.path ?? "")" } == [
        "2 model.count", "3 model.names[0]", "4 model.names[0]", "5 model.other",
      ])
    #expect(outcome.error == nil)
  }

  @Test func anEventThatDoesNotFitTheRecordingEndsTheDrive() throws {
    let outcome = try outcome(
      """
      {"kind":"set","path":"model.count","value":1}
      {"kind":"splice","path":"model.names","offset":5,"delete":9223372036854775807,"insert":["x"]}
      {"kind":"set","path":"model.count","value":2}
      """)
    #expect(outcome.count == 1)
    #expect(outcome.names == ["a"])
    #expect(outcome.error?.contains("event 3") ?? false, "\(outcome.error ?? "")")
  }

  @Test func timesMayBeAny() throws {
    let outcome = try outcome(
      """
      {"time_ns":18446744073709551615,"kind":"set","path":"model.count","value":1}
      {"time_ns":0,"kind":"set","path":"model.count","value":2}
      {"kind":"end"}
      {"kind":"begin"}
      {"kind":"set","path":"model.count","value":3}
      """)
    #expect(outcome.count == 3)
    #expect(outcome.problems == [])
    #expect(outcome.error == nil)
  }

  @Test func objectsThatCannotBeMadeAreLeftOut() throws {
    let outcome = try outcome(
      """
      {"kind":"set","path":"model.child","value":{"$object":"Strict#2","size":-1}}
      {"kind":"set","path":"model.rows","value":[{"$object":"Unknown#3","id":1}]}
      {"kind":"splice","path":"model.rows","offset":0,"delete":1,"insert":[{"$object":"Row#4","id":1,"text":"x"}]}
      {"kind":"set","path":"model.child.size","value":3}
      {"kind":"set","path":"model.count","value":5}
      """)
    #expect(outcome.count == 5)
    // What does not fit in event 4 follows from event 3.
    #expect(outcome.problems.map(\.event) == [2, 3, 5])
    #expect(outcome.problems.map(\.count) == [1, 2, 1])
    #expect(outcome.problems[0].reason.contains("TooSmall"))
    #expect(outcome.error == nil)
  }

  @Test func rootsThatNothingIsAttachedToAreReportedOnce() throws {
    let outcome = try outcome(
      """
      {"kind":"set","path":"other","value":{"$object":"Model#2","count":0,"names":[],"rows":[],"child":null}}
      {"kind":"set","path":"other.count","value":1}
      {"kind":"set","path":"other.count","value":2}
      {"kind":"set","path":"model.count","value":3}
      {"kind":"remove","path":"model"}
      """)
    #expect(outcome.count == 3)
    // The removal of a root detaches it, as in the program that was recorded.
    #expect(outcome.problems.map(\.event) == [3])
    #expect(outcome.problems[0].reason.contains("nothing is attached as other"))
  }

  @Test func aLogThatBeginsInTheMiddleIsDrivenFromThere() throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    try drive.record { session in
      let model = Model()
      session.attach(model, as: "model")
      for count in 1...50 {
        model.count = count
        model.rows.append(Row(id: count))
        model.rows[id: (count + 1) / 2]?.text = "\(count)"
      }
    }
    let part = drive.directory.appending(path: "part.evlog")
    var cut = LogCut()
    cut.from = .seq(60)
    _ = try cut.run(drive.recorded.path, to: part.path)
    let driven = try Drive(Recording(part), recordingTo: drive.driven)
    let model = try driven.attach(Model.self, root: "model")
    #expect(model.count == 20)
    var texts = 0
    driven.session.projection("Texts") { _ in texts = model.rows.filter { !$0.text.isEmpty }.count }
    try driven.run()
    try driven.session.close()
    #expect(driven.problems == [])
    #expect(model.count == 50 && model.rows.count == 50)
    #expect(texts == 25)
    let (a, b) = (try LogReader(path: drive.recorded.path), try LogReader(path: drive.driven.path))
    let path = try Path(parsing: "model.rows[id: 25].text")
    #expect(try a.state(at: .max).value(at: path) == b.state(at: .max).value(at: path))
  }

  /// Records 50 sets and appends in many blocks, the model's own set first, and returns the bytes.
  private func bytesOfManyBlocks(_ drive: SelfDrive) throws -> [UInt8] {
    try drive.record { session in
      let model = Model()
      session.attach(model, as: "model")
      for count in 1...50 {
        model.count = count
        model.names.append("name \(count)")
        if count.isMultiple(of: 5) { try session.sync(.written) }
      }
    }
    return [UInt8](try Data(contentsOf: drive.recorded))
  }

  /// The readable events as text, by the log's own reader, and whether reading ends with an error; nil if the
  /// bytes are no log at all.
  private func readable(_ log: URL) -> (count: Int, names: Int, isDamaged: Bool)? {
    guard let reader = try? LogReader(path: log.path) else { return nil }
    var (count, names) = (0, 0)
    do {
      try reader.forEachEvent { event in
        switch event.body {
        case .set(let path, .int(let number), _) where "\(path)" == "model.count": count = Int(number)
        case .set(let path, .array(let all), _) where "\(path)" == "model.names": names = all.count
        case .splice(_, _, let delete, .array(let insert), _): names += insert.count - delete
        default: break
        }
      }
    } catch { return (count, names, true) }
    return (count, names, false)
  }

  /// Drives a log as far as possible, and expects the same as the log's own reader reads.
  ///
  /// - Returns: How many sets were driven; nil if the bytes are no log, or the log does not reach the root.
  private func driveReadable(_ log: URL) throws -> Int? {
    guard let expected = readable(log), let recording = try? Recording(log) else { return nil }
    let driven = try Drive(recording)
    defer { try? driven.session.close() }
    let model: Model
    do { model = try driven.attach(Model.self, root: "model") } catch {
      #expect(error is DriveError || error is LogError)
      // Nothing in it can be read.
      #expect(expected.count == 0)
      return nil
    }
    var isDamaged = false
    do { try driven.run() } catch {
      #expect(error is LogError)
      isDamaged = true
    }
    #expect(isDamaged == expected.isDamaged)
    #expect(model.count == expected.count)
    #expect(model.names.count == expected.names)
    #expect(driven.problems == [])
    return model.count
  }

  @Test func aTornLogIsDrivenAsFarAsItGoes() throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    let whole = try bytesOfManyBlocks(drive)
    var counts: Set<Int> = []
    for share in 1...40 {
      try Data(whole.prefix(whole.count * share / 40)).write(to: drive.recorded)
      if let count = try driveReadable(drive.recorded) { counts.insert(count) }
    }
    #expect(counts.contains(50))
    #expect(counts.count > 4, "\(counts)")
  }

  @Test func aDamagedLogIsDrivenUpToTheDamage() throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    let whole = try bytesOfManyBlocks(drive)
    var counts: Set<Int> = []
    for position in stride(from: 100, to: whole.count, by: 53) {
      var bytes = whole
      bytes[position] ^= 0x41
      try Data(bytes).write(to: drive.recorded)
      if let count = try driveReadable(drive.recorded) { counts.insert(count) }
    }
    #expect(counts.count > 4, "\(counts)")
    #expect(counts.contains { $0 > 0 && $0 < 50 })
  }

  /// As in imported logs: no event defines the object of the root.
  @Test func aRootThatItsFirstPropertyMakesIsAttachedThere() throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    try drive.write(
      """
      {"kind":"set","path":"other.count","value":9}
      {"kind":"mark","label":"begin"}
      {"kind":"set","path":"model.count","value":1}
      {"kind":"set","path":"model.count","value":2}
      """)
    let driven = try Drive(Recording(drive.recorded))
    let model = try driven.attach(Model.self, root: "model")
    #expect(driven.nextSeq == 4)
    #expect(model.count == 1)
    try driven.run()
    #expect(model.count == 2)
    #expect(throws: DriveError.self) { try driven.attach(Model.self, root: "third") }
    try driven.session.close()
  }

  @Test func problemsOfOneReasonAreOneForEachProperty() throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    let rows = (1...3).map { #"{"$object":"Row#\#($0 + 1)","id":\#($0),"text":\#($0)}"# }
    try drive.write(
      """
      {"kind":"set","path":"model","value":{"$object":"Model#1","count":"x","names":"y","rows":[\(rows.joined(separator: ","))],"child":null}}
      {"kind":"set","path":"model.count","value":"z"}
      {"kind":"set","path":"model.count","value":"z"}
      """)
    let driven = try Drive(Recording(drive.recorded), recordingTo: drive.driven)
    _ = try driven.attach(Model.self, root: "model")
    func counts() -> [String: Int] {
      Dictionary(
        uniqueKeysWithValues: driven.problems.map { problem in
          (String(problem.path?.split(separator: ".").last ?? ""), problem.count)
        })
    }
    #expect(counts() == ["count": 1, "names": 1, "text": 3])
    try driven.run()
    #expect(counts() == ["count": 3, "names": 1, "text": 3])
    #expect(driven.problemCount == 7)
    #expect(driven.writeCount == 0)
    try driven.session.close()
    // One mark for each.
    let marks = try SelfDrive.lines(drive.driven).filter { $0.contains("drive: ") }
    #expect(marks.count == 3)
  }
}
