import EventLog
import FormerCore
import LogGenerator
import SideBySide
import Testing

/// Checks that the comparison finds the errors that it exists to find: one error of each kind, either in a
/// core that is otherwise correct, or in a recorded log.
@Suite struct HarnessTests {
  /// A transaction that invalidates two projections, one of them by two events.
  private static let session = """
    {"kind":"set","path":"app","value":{"$object":"App#1","a":0,"b":0}}
    {"kind":"projection","projection":"P"}
    {"kind":"reads","projection":"P","paths":["app.a"]}
    {"kind":"projection","projection":"Q"}
    {"kind":"reads","projection":"Q","paths":["app.a","app.b"]}
    {"kind":"begin"}
    {"kind":"set","path":"app.a","value":1}
    {"kind":"set","path":"app.b","value":-0.0}
    {"kind":"end"}
    """

  /// An event that does not fit.
  private static let misfit = #"{"kind":"splice","path":"app.a","offset":0,"delete":0,"insert":"x"}"#

  @Test func coresThatAgreeDifferInNothing() throws {
    try SideBySide.check(try events([Self.session]), against: FaultyTimeline(nil))
  }

  @Test(arguments: Fault.allCases)
  func aFaultOfACoreIsFound(fault: Fault) throws {
    let events = try events([Self.session, Self.misfit].prefix(fault == .otherReason ? 2 : 1))
    let difference = #expect(throws: SideBySide.Difference.self) {
      try SideBySide.check(events, against: FaultyTimeline(fault))
    }
    #expect(difference?.what == fault.what)
  }

  @Test func anEventThatBothRefuseEndsTheSession() throws {
    try SideBySide.check(try events([Self.session, Self.misfit, Self.session]))
  }

  private static let recorded = [
    #"{"kind":"invalidate","projection":"P","causes":[7],"cause":9}"#,
    #"{"kind":"invalidate","projection":"Q","causes":[7,8],"cause":9}"#,
  ]

  @Test func aLogThatRecordedWhatFollowsIsRight() throws { try check(recorded: Self.recorded) }

  @Test(arguments: [
    [], [recorded[0]], [recorded[1], recorded[0]], recorded + [recorded[1]],
    [recorded[0], recorded[1].replacing("[7,8]", with: "[8]")],
    [recorded[0], recorded[1].replacing(#""cause":9"#, with: #""cause":8"#)],
  ])
  func aWrongRecordOfWhatWasInvalidatedIsFound(recorded: [String]) throws {
    let difference = #expect(throws: SideBySide.Difference.self) { try check(recorded: recorded) }
    #expect(difference?.what == "the recorded invalidation")
  }

  @Test func aLogThatDoesNotFitItselfIsAnError() throws {
    #expect(throws: StateError.self) { try check(recorded: [Self.misfit]) }
  }

  /// Checks a log of the session with more lines appended.
  private func check(recorded: [String]) throws {
    let workspace = try Workspace()
    let path = workspace.file("run.evlog")
    let writer = try LogWriter(creating: path)
    for event in try events([Self.session] + recorded) { try writer.append(event) }
    try writer.close()
    try SideBySide.check(log: path)
  }

  private func events(_ texts: some Sequence<String>) throws -> [Event] {
    try texts.joined(separator: "\n").split(separator: "\n").enumerated().map { index, line in
      try ParsedEvent(parsing: String(line)).event(seq: UInt64(index) + 1, time: 0, sameValue: false)
    }
  }
}

/// An error that the comparison must find.
enum Fault: CaseIterable {
  case hitLeftOut, hitsSwapped, causeForgotten, eventRefused, otherReason, valueMissing, bitLost

  /// The comparison's name for it.
  var what: String {
    switch self {
    case .hitLeftOut, .causeForgotten: "what it invalidates, from entry 1 on"
    case .hitsSwapped: "what it invalidates, from entry 0 on"
    case .eventRefused: "only one refuses it"
    case .otherReason: "the reason to refuse it, from entry 0 on"
    case .valueMissing: "the value of app"
    case .bitLost: "the state, from entry 1 on"
    }
  }
}

/// The product's core, with a fault.
private struct FaultyTimeline: ComparedTimeline {
  private var timeline = PresentTimeline()
  private let fault: Fault?

  init(_ fault: Fault?) { self.fault = fault }

  mutating func hits(of event: Event) throws(StateError) -> [FormerTimeline.Hit] {
    var hits: [FormerTimeline.Hit]
    do throws(StateError) { hits = try timeline.hits(of: event) } catch {
      throw fault == .otherReason ? StateError(nil, "no") : error
    }
    guard hits.count == 2 else { return hits }
    switch fault {
    case .hitLeftOut: hits.removeLast()
    case .hitsSwapped: hits.swapAt(0, 1)
    case .causeForgotten: hits[1].causes.removeLast()
    case .eventRefused: throw StateError(nil, "no")
    default: break
    }
    return hits
  }

  mutating func value(at path: Path) -> Value? {
    fault == .valueMissing ? nil : timeline.value(at: path)
  }

  var stateText: String {
    mutating get {
      fault == .bitLost ? timeline.stateText.replacing("-0.0", with: "0.0") : timeline.stateText
    }
  }
}
