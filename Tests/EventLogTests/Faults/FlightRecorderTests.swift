import Foundation
import Testing
import log_child

@testable import EventLog

@Suite struct FlightRecorderTests {
  private let known = KnownEvents(seed: 1)

  private func check(_ path: String, endsWith last: UInt64) throws {
    let log = try LogReader(path: path)
    #expect(log.firstSeq > 1)
    #expect(log.nextSeq == last + 1)
    #expect(try log.allEvents() == (log.firstSeq...last).map { known.event($0) })
    var state = State()
    for seq in 1...last { try state.apply(known.event(seq)) }
    var (found, expected) = (StateFold(try log.state(at: last)), StateFold(state))
    #expect(found.checkpoint() == expected.checkpoint())
  }

  @Test func aDumpHoldsTheLastBytesAndBeginsWithTheState() throws {
    let file = try TemporaryFile()
    let recorder = try FlightRecorder(keeping: .seconds(3600), bytes: 64 << 10)
    for seq in 1...20_000 { try recorder.writer.append(known.event(UInt64(seq))) }
    try recorder.dump(to: file.path)
    #expect(try file.bytes.count <= 90 << 10)
    #expect(try LogReader(path: file.path).isClean)
    try check(file.path, endsWith: 20_000)
    // Recording continues, and a second dump has more events.
    for seq in 20_001...20_100 { try recorder.writer.append(known.event(UInt64(seq))) }
    let again = try TemporaryFile()
    try recorder.dump(to: again.path)
    try check(again.path, endsWith: 20_100)
    #expect(throws: LogError.self) { try recorder.dump(to: again.path) }
  }

  @Test func aDumpHoldsTheLastSeconds() throws {
    let file = try TemporaryFile()
    // Known events are a millisecond apart.
    let recorder = try FlightRecorder(keeping: .seconds(2), options: LogOptions(blockEvents: 50))
    for seq in 1...20_000 { try recorder.writer.append(known.event(UInt64(seq))) }
    try recorder.dump(to: file.path)
    try check(file.path, endsWith: 20_000)
    let log = try LogReader(path: file.path)
    #expect((2000...3000).contains(log.eventCount), "\(log.eventCount)")
  }

  @Test(arguments: ["segv", "abort", "trap", "\(SIGBUS)", "\(SIGILL)", "\(SIGFPE)"])
  func aCrashLeavesADumpAndTheProcessStillDiesOfIt(how: String) throws {
    let file = try TemporaryFile()
    let process = Process()
    process.executableURL = try KilledChild.executable()
    process.arguments = ["crash", file.path, how]
    process.environment = ["SWIFT_BACKTRACE": "enable=no"]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal)
    try check(file.path, endsWith: 20_000)
    let recovery = try LogRecovery.recover(file.path)
    #expect(recovery.outcome == .completed)
    #expect(try LogReader(path: file.path).isClean)
  }
}
