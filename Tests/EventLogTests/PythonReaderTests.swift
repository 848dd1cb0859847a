import LogGenerator
import PythonReader
import Testing

@testable import EventLog

@Suite(.enabled(if: PythonReader.isAvailable, "\(PythonReader.isMissing)"))
struct PythonReaderOfRandomLogsTests {
  @Test func whatThisReaderRefusesIsRefusedInPython() throws {
    let files = try FalseBlock.all.map { block in
      let file = try TemporaryFile()
      try file.write(log(block.body, events: 1).bytes)
      return file
    }
    let answer = try PythonReader.read(files.map(\.path), withState: false)
    #expect(answer.status == 3)
    for (index, block) in FalseBlock.all.enumerated() {
      #expect(answer.lines[index].isEmpty, "\(block.testDescription)")
      #expect(
        answer.errors.contains("\(files[index].path): damaged in the block of event 1"),
        "\(block.testDescription)")
    }
  }

  /// Every kind of event and value, in blocks of a few events, to find what FORMAT.md leaves undefined.
  @Test func fourHundredRandomLogsReadTheSameInPython() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var files: [TemporaryFile] = []
    var expected: [[String]] = []
    for _ in 0..<400 {
      var generator = RandomEvents(seed: random.next())
      let events = generator.events(Int.random(in: 0...40, using: &random))
      let file = try TemporaryFile()
      let options = LogOptions(blockEvents: Int.random(in: 1...20, using: &random))
      let writer = try LogWriter(creating: file.path, options: options)
      for event in events { try writer.append(event) }
      try writer.close()
      files.append(file)
      expected.append(events.map { $0.json() })
    }
    let answer = try PythonReader.read(files.map(\.path), withState: false)
    #expect(answer.status == 0, "seed \(seed): \(answer.errors)")
    #expect(answer.lines.count == expected.count)
    for (index, (lines, events)) in zip(answer.lines, expected).enumerated() {
      let difference = zip(lines, events).first { $0 != $1 }
      #expect(difference == nil, "seed \(seed), log \(index)")
      #expect(lines.count == events.count, "seed \(seed), log \(index)")
    }
  }

  /// Doubles on both sides of the limits of the exponent form, and of every power of ten.
  @Test func doublesOfAllMagnitudesArePrintedTheSameInPython() throws {
    var doubles: [Double] = [
      0x1p53, 0x1p53.nextUp, 0x1p53.nextDown, 9_078_839_830_316_020, .leastNonzeroMagnitude,
    ]
    for exponent in -310...308 {
      let power = Double("1e\(exponent)") ?? 0
      doubles += [power, power.nextUp, power.nextDown, -power, power * 1.5]
    }
    let number = Path(root: .named("a"), components: [.property("number")])
    let events = doubles.filter(\.isFinite).enumerated().map { index, double in
      Event(seq: UInt64(index) + 1, time: 0, body: .set(number, .double(double), sameValue: false))
    }
    let file = try TemporaryFile()
    let writer = try LogWriter(creating: file.path)
    for event in events { try writer.append(event) }
    try writer.close()
    let answer = try PythonReader.read([file.path], withState: false)
    let lines = try #require(answer.lines.first)
    #expect(lines.count == events.count)
    for (line, event) in zip(lines, events) { #expect(line == event.json()) }
  }
}
