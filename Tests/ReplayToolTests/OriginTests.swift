import EventLog
import Foundation
import LogGenerator
import Projection
import Testing

@testable import ReplayAnalysis
@testable import ReplayTool

@Recorded final class Meter {
  var level = 0
}

/// The origin of a write, from the addresses in a log to names.
@Suite struct OriginTests {
  private func record(_ play: (Session, Meter) throws -> Void) throws -> (log: String, Workspace) {
    let workspace = try Workspace()
    let log = workspace.file("run.evlog")
    let session = try Session(recordingTo: URL(filePath: log))
    let meter = Meter()
    session.attach(meter, as: "meter")
    session.projection("Gauge") { _ in meter.level }
    session.recordOrigins()
    try play(session, meter)
    try session.close()
    return (log, workspace)
  }

  @inline(never) private func raise(_ meter: Meter, by amount: Int) { meter.level += amount }

  @Test(.enabled(if: Symbolizer.findTool() != nil)) func whyNamesTheFunctionThatWrote() throws {
    let line = #line - 3
    let (log, workspace) = try record { _, meter in raise(meter, by: 2) }
    defer { withExtendedLifetime(workspace) {} }
    let run = ToolRun("why", log, "Gauge")
    #expect(run.output.contains("by OriginTests.raise(_:by:) at OriginTests.swift:\(line)"), "\(run.output)")
    #expect(!run.output.contains("closure in"))
    let stack = ToolRun("why", log, "Gauge", "--stack").output
    #expect(stack.contains("OriginTests.whyNamesTheFunctionThatWrote()"), "\(stack)")
    let calls = try #require(stack.firstRange(of: "by OriginTests.raise(_:by:)")?.upperBound)
    let first = stack[calls...].split(separator: "\n").dropFirst().first.map { $0.drop { $0 == " " } }
    #expect(first?.hasPrefix("OriginTests.raise(_:by:)") == true, "\(stack)")
    #expect(!stack.contains("RecordedRegistrar"), "\(stack)")
    let json = ToolRun("why", log, "Gauge", "--format", "json").output
    #expect(json.contains(#""function":"OriginTests.raise(_:by:)""#), "\(json)")
  }

  @Test func theAppsOwnCallsStandFirstAndThoseOfLibrariesAreFolded() {
    func frame(_ function: String, _ module: String, isCaller: Bool = false) -> StackFrame {
      StackFrame(function: function, image: "/app", offset: 1, module: module, isCaller: isCaller)
    }
    func text(_ lines: [StackLine]) -> [String] {
      lines.map { line in
        switch line {
        case .call(let frame): frame.function ?? "?"
        case .folded(let frames): "folded " + frames.compactMap(\.function).joined(separator: " ")
        case .within(let frames): "within " + frames.compactMap(\.function).joined(separator: " ")
        }
      }
    }
    let stack = [
      frame("append", "EventLog"), frame("set", "Projection"), frame("setter", "App"),
      frame("tap", "App", isCaller: true), frame("transaction", "Projection"), frame("thunk", "App"),
      frame("refresh", "App", isCaller: true), frame("load", "App", isCaller: true), frame("main", "Swift"),
    ]
    #expect(
      text(StackLine.lines(of: stack)) == [
        "tap", "folded transaction thunk", "refresh", "load", "folded main", "within append set setter",
      ])
    #expect(text(StackLine.lines(of: Array(stack[..<3]))) == ["append", "set", "setter"])
  }

  @Test func withoutASymbolizerAddressesStay() throws {
    let symbolizer = Symbolizer(tool: nil)
    #expect(symbolizer.advice == nil)
    let frames = symbolizer.frames(of: "/app/chat#0f+1a\n+ff\nnonsense\n/lib/x#+3")
    #expect(frames.map(\.offset) == [0x1a, 0xff, 3])
    #expect(frames.map(\.image) == ["/app/chat", "/app/chat", "/lib/x"])
    #expect(frames.allSatisfy { $0.function == nil })
    #expect(symbolizer.advice?.contains("llvm-symbolizer") == true)
  }

  @Test func anImageThatIsNotWhatRanIsNotAsked() throws {
    let symbolizer = Symbolizer(tool: "/bin/false")
    let frames = symbolizer.frames(of: "/bin/sh#0123+1a\n/no/such#45+2\n/dev/zero#+3")
    #expect(frames.map(\.offset) == [0x1a, 2, 3])
    #expect(symbolizer.advice?.contains("/bin/sh") == true)
  }

  @Test func aStackOfNonsenseIsNoStack() {
    for text in ["", "\n\n", "+", "#", "#+", "a#b", "a#b+", "a#b+zz", "+12", "a#b+fffffffffffffffff"] {
      #expect(StackCall.calls(in: text).isEmpty, "\(text)")
    }
    #expect(StackCall.calls(in: String(repeating: "a#b+1\n", count: 100_000)).count == 256)
  }

  @Test(arguments: [
    ("$s15ProjectionTests6PlayerC5levelSdvs", "Player.level.setter", "ProjectionTests", true),
    ("main", "main", nil, false),
    ("$s1e5helloyS2iF", "hello(_:)", "e", false),
  ])
  func namesAreShort(symbol: String, short: String, module: String?, isPlumbing: Bool) {
    let name = FunctionName(symbol)
    #expect(name.short == short)
    #expect(name.module == module)
    #expect(name.isPlumbing == isPlumbing)
  }
}
