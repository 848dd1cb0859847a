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

/// Refuses what it is made of.
@Recorded private final class Strict {
  let size: Int

  struct TooSmall: Error {}

  init(size: Int) throws {
    if size < 0 { throw TooSmall() }
    self.size = size
  }
}

/// Recordings that are damaged, torn, foreign, or made to harm.
@Suite struct HostileDriveTests {
  private static let root =
    #"{"kind":"set","path":"model","value":{"$object":"Model#1","count":0,"names":["a"],"rows":[],"child":null}}"#

  /// Drives lines through the model, and returns what was written, what could not be driven, and why it ended.
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
    // What was driven is a whole log.
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
    #expect(outcome.problems.map(\.event) == [2, 3, 4, 5])
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
    #expect(outcome.problems.map(\.event) == [3, 6])
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

  @Test func aTornLogIsDrivenAsFarAsItGoes() throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    try drive.record { session in
      let model = Model()
      session.attach(model, as: "model")
      for count in 1...50 {
        model.count = count
        if count.isMultiple(of: 10) { try? session.sync(.written) }
      }
    }
    let whole = try Data(contentsOf: drive.recorded)
    for share in 1..<20 {
      try whole.prefix(whole.count * share / 20).write(to: drive.recorded)
      guard let recording = try? Recording(drive.recorded) else { continue }
      let driven = try Drive(recording)
      guard let model = try? driven.attach(Model.self, root: "model") else { continue }
      try driven.run()
      let last = try recording.state(at: .max).value(at: Path(parsing: "model.count"))
      #expect(last == .int(Int64(model.count)))
      try driven.session.close()
    }
  }

  @Test func aDamagedLogIsDrivenUpToTheDamage() throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    try drive.record { session in
      let model = Model()
      session.attach(model, as: "model")
      for count in 1...50 {
        model.count = count
        if count.isMultiple(of: 10) { try? session.sync(.written) }
      }
    }
    let whole = [UInt8](try Data(contentsOf: drive.recorded))
    for position in stride(from: 200, to: whole.count - 200, by: 97) {
      var bytes = whole
      bytes[position] ^= 0x41
      try Data(bytes).write(to: drive.recorded)
      guard let recording = try? Recording(drive.recorded), let driven = try? Drive(recording),
        let model = try? driven.attach(Model.self, root: "model")
      else { continue }
      do { try driven.run() } catch { #expect(error is LogError) }
      #expect((0...50).contains(model.count))
      try driven.session.close()
    }
  }
}
