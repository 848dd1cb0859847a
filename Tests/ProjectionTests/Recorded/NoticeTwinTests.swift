import LogGenerator
import Observation
import Projection
import Testing

/// Which sets the standard library's observers are notified of: the same ones for an `@Observable` object and its
/// `@Recorded` twin, for properties of all kinds of types. The property's static type decides.
@Suite struct NoticeTwins {
  @Test(arguments: [false, true]) func observersAreNotifiedOfTheSameSets(isAttached: Bool) {
    let twin = LoggedNotices()
    let session = session(recording: twin, if: isAttached)
    let values = Values()
    let (steps, others) = (Self.steps(PlainNotices(), values), Self.steps(twin, values))
    for (step, other) in zip(steps, others) {
      for (first, second) in (0..<5).flatMap({ a in (0..<5).map { (a, $0) } }) {
        step.write(first)
        other.write(first)
        let expected = Self.notifies(step) { step.write(second) }
        #expect(
          Self.notifies(other) { other.write(second) } == expected, "\(step.name): \(first), then \(second)")
        #expect(
          Self.notifies(other) { other.writeAgain() } == Self.notifies(step) { step.writeAgain() },
          "\(step.name) is set to itself")
      }
    }
    withExtendedLifetime(session) {}
  }

  @Test(arguments: [false, true]) func observersOfAPropertyOfGenericTypeAreNotifiedOfTheSameSets(
    isAttached: Bool
  ) {
    let values = Values()
    func check<State>(_ states: [State]) {
      let (plain, twin) = (PlainHolder(states[0]), LoggedHolder(states[0]))
      let session = session(recording: twin, if: isAttached)
      for state in states + states {
        let expected = Self.notifies(reading: { _ = plain.state }) { plain.state = state }
        #expect(
          Self.notifies(reading: { _ = twin.state }) { twin.state = state } == expected, "\(State.self)")
        let expectedOptional = Self.notifies(reading: { _ = plain.last }) { plain.last = state }
        #expect(Self.notifies(reading: { _ = twin.last }) { twin.last = state } == expectedOptional)
      }
      withExtendedLifetime(session) {}
    }
    check([1, 1, 2])
    check(values.ignoring)
    check(values.objects)
    check(values.equals)
    check(values.parts)
    check([Double.nan, .nan])
    check([[1], [1]])
    check([Int?.some(1), 1, nil])
  }

  @Test(arguments: 0..<40 as Range<UInt64>) func randomSetsAreNoticedAlike(seed: UInt64) {
    var random = SplitMix64(seed: seed &+ 4_711)
    func upTo(_ max: Int) -> Int { Int(random.next() % UInt64(max + 1)) }
    let twin = LoggedNotices()
    let session = session(recording: twin, if: seed % 2 == 0)
    let values = Values()
    let (steps, others) = (Self.steps(PlainNotices(), values), Self.steps(twin, values))
    let (journal, other) = (Journal(), Journal())
    for _ in 0..<200 {
      let index = upTo(steps.count - 1)
      let (step, twin) = (steps[index], others[index])
      switch upTo(4) {
      case 0:
        journal.watch(step.name, step.read)
        other.watch(step.name, twin.read)
      case 1:
        step.writeAgain()
        twin.writeAgain()
      default:
        let value = upTo(4)
        step.write(value)
        twin.write(value)
      }
      #expect(other.lines == journal.lines, "seed \(seed), \(step.name)")
    }
    withExtendedLifetime(session) {}
  }

  /// What the log calls the same value is decided apart from the notices, by the value's type at run time.
  @Test func theLogCallsEqualValuesTheSameWhateverObserversAreToldOf() throws {
    let model = LoggedHolder<any Part>(IgnoringNote(1, "a"))
    let log = try events(of: model) { session in
      var runs = 0
      session.projection("View") { _ in
        _ = model.state
        runs += 1
      }
      #expect(Self.notifies(reading: { _ = model.state }) { model.state = IgnoringNote(1, "b") })
      #expect(runs == 1)
      #expect(Self.notifies(reading: { _ = model.state }) { model.state = IgnoringNote(2, "b") })
      #expect(runs == 2)
    }
    #expect(
      log.mutations == [
        #"row.state = {"number":1,"note":"b"}"#, "row.state.number <- 2",
      ])
  }

  // MARK: Steps

  /// Reads and sets of one property.
  struct Step {
    let name: String
    let read: () -> Void
    /// Sets it to one of its values.
    let write: (Int) -> Void
    /// Sets it to what it is, after a change within it if it holds an object.
    let writeAgain: () -> Void
  }

  static func notifies(_ step: Step, _ write: () -> Void) -> Bool { notifies(reading: step.read, write) }

  static func notifies(reading read: () -> Void, _ write: () -> Void) -> Bool {
    let journal = Journal()
    journal.watch("it", read)
    write()
    return !journal.lines.isEmpty
  }

  static func steps<Model: Noticed>(_ model: Model, _ values: Values) -> [Step] {
    func step<Member>(
      _ name: String, _ keyPath: ReferenceWritableKeyPath<Model, Member>, _ values: [Member]
    ) -> Step {
      Step(
        name: name, read: { _ = model[keyPath: keyPath] },
        write: { model[keyPath: keyPath] = values[$0 % values.count] },
        writeAgain: {
          let value = model[keyPath: keyPath]
          (value as? Plain)?.content += 1
          model[keyPath: keyPath] = value
        })
    }
    let (plain, parts) = (values.objects[0], values.parts)
    let optional: [Step] = [
      step("optionalDouble", \.optionalDouble, [.nan, .nan, nil, 1]),
      step("optionalIgnoring", \.optionalIgnoring, values.ignoring + [nil]),
      step("optionalObject", \.optionalObject, values.objects + [nil]),
      step("implicit", \.implicit, values.objects + [nil]),
      step("optionalEqualObject", \.optionalEqualObject, values.equals + [nil]),
      step("optionalPart", \.optionalPart, parts + [nil]),
      step("optionalUnequal", \.optionalUnequal, [Unmatched(), Unmatched(), nil]),
      step("open", \.open, [Unmatched(), nil]),
    ]
    let dynamic: [Step] = [
      step("anyObject", \.anyObject, [plain, values.objects[1], values.equals[0], values.equals[1]]),
      step("classPart", \.classPart, values.objects),
      step("anything", \.anything, [1, 1, "1", values.ignoring[0], values.ignoring[1]]),
      step("part", \.part, parts),
      step("anyEquatable", \.anyEquatable, [1, 1, values.ignoring[0], values.ignoring[1]]),
      step("hashable", \.hashable, [1, 1.0, "1"] as [AnyHashable]),
      step("pair", \.pair, [(1, 2), (1, 2), (2, 2)]),
      step("function", \.function, [{}, {}]),
      step("type", \.type, [Int.self, Int.self, String.self] as [Any.Type]),
    ]
    return optional + dynamic + [
      step("int", \.int, [1, 1, 2]),
      step("double", \.double, [.nan, .nan, 0, -0.0]),
      step("float", \.float, [Float.nan, .nan, 0]),
      step("flag", \.flag, [true, true, false]),
      step("text", \.text, ["\u{e9}", "e\u{301}", "e"]),
      step("ignoring", \.ignoring, values.ignoring),
      step("object", \.object, values.objects),
      step("equalObject", \.equalObject, values.equals),
      step("objects", \.objects, [[plain], [plain], []]),
      step("equalObjects", \.equalObjects, [[values.equals[0]], [values.equals[1]], []]),
      step("unequals", \.unequals, [[Unmatched()], [Unmatched()], []]),
      step("unequal", \.unequal, [Unmatched(), Unmatched()]),
      step("byKey", \.byKey, [["a": 1], ["a": 1], [:]]),
      step("outcome", \.outcome, [.success(1), .success(1), .failure(Refusal())]),
      step("recorded", \.recorded, [[1], [1], []]),
      step("recordedUnequals", \.recordedUnequals, [[Unmatched()], [Unmatched()], []]),
      step("recordedByKey", \.recordedByKey, [["a": 1], ["a": 1], [:]]),
    ]
  }

  /// The values that both twins are set to.
  struct Values {
    let objects = [Plain(), Plain(), Plain()]
    let equals = [ByContent(1), ByContent(1), ByContent(2)]
    let ignoring = [IgnoringNote(1, "a"), IgnoringNote(1, "b"), IgnoringNote(2, "a")]
    var parts: [any Part] { ignoring + [OtherPart(), OtherPart()] }
  }

  protocol Part {}
  protocol ClassPart: AnyObject {}
  struct OtherPart: Part {}

  /// Equal values may have different notes.
  struct IgnoringNote: Equatable, Part {
    let number: Int
    let note: String
    init(_ number: Int, _ note: String) { (self.number, self.note) = (number, note) }
    static func == (a: Self, b: Self) -> Bool { a.number == b.number }
  }

  struct Unmatched { var number = 1 }
  struct Refusal: Error {}
  final class Plain: ClassPart { var content = 1 }

  final class ByContent: Equatable {
    let content: Int
    init(_ content: Int) { self.content = content }
    static func == (a: ByContent, b: ByContent) -> Bool { a.content == b.content }
  }
}

protocol Noticed: AnyObject {
  var int: Int { get set }
  var double: Double { get set }
  var float: Float { get set }
  var flag: Bool { get set }
  var text: String { get set }
  var optionalDouble: Double? { get set }
  var ignoring: NoticeTwins.IgnoringNote { get set }
  var optionalIgnoring: NoticeTwins.IgnoringNote? { get set }
  var object: NoticeTwins.Plain { get set }
  var optionalObject: NoticeTwins.Plain? { get set }
  var implicit: NoticeTwins.Plain! { get set }
  var equalObject: NoticeTwins.ByContent { get set }
  var optionalEqualObject: NoticeTwins.ByContent? { get set }
  var anyObject: AnyObject { get set }
  var classPart: any NoticeTwins.ClassPart { get set }
  var anything: Any { get set }
  var part: any NoticeTwins.Part { get set }
  var optionalPart: (any NoticeTwins.Part)? { get set }
  var anyEquatable: any Equatable { get set }
  var hashable: AnyHashable { get set }
  var pair: (Int, Int) { get set }
  var function: () -> Void { get set }
  var type: Any.Type { get set }
  var objects: [NoticeTwins.Plain] { get set }
  var equalObjects: [NoticeTwins.ByContent] { get set }
  var unequals: [NoticeTwins.Unmatched] { get set }
  var unequal: NoticeTwins.Unmatched { get set }
  var optionalUnequal: NoticeTwins.Unmatched? { get set }
  var byKey: [String: Int] { get set }
  var outcome: Result<Int, any Error> { get set }
  var open: Any? { get set }
  var recorded: RecordedArray<Int> { get set }
  var recordedUnequals: RecordedArray<NoticeTwins.Unmatched> { get set }
  var recordedByKey: RecordedDictionary<String, Int> { get set }
}

@Observable final class PlainHolder<State> {
  var state: State
  var last: State?
  init(_ state: State) { self.state = state }
}

@Recorded final class LoggedHolder<State> {
  var state: State
  var last: State?
  init(_ state: State) { self.state = state }
}

@Observable final class PlainNotices: Noticed {
  var int: Int = 0
  var double: Double = 0
  var float: Float = 0
  var flag: Bool = false
  var text: String = ""
  var optionalDouble: Double?
  var ignoring: NoticeTwins.IgnoringNote = NoticeTwins.IgnoringNote(0, "")
  var optionalIgnoring: NoticeTwins.IgnoringNote?
  var object: NoticeTwins.Plain = NoticeTwins.Plain()
  var optionalObject: NoticeTwins.Plain?
  var implicit: NoticeTwins.Plain!
  var equalObject: NoticeTwins.ByContent = NoticeTwins.ByContent(0)
  var optionalEqualObject: NoticeTwins.ByContent?
  var anyObject: AnyObject = NoticeTwins.Plain()
  var classPart: any NoticeTwins.ClassPart = NoticeTwins.Plain()
  var anything: Any = 0
  var part: any NoticeTwins.Part = NoticeTwins.OtherPart()
  var optionalPart: (any NoticeTwins.Part)?
  var anyEquatable: any Equatable = 0
  var hashable: AnyHashable = 0
  var pair: (Int, Int) = (0, 0)
  var function: () -> Void = {}
  var type: Any.Type = Int.self
  var objects: [NoticeTwins.Plain] = []
  var equalObjects: [NoticeTwins.ByContent] = []
  var unequals: [NoticeTwins.Unmatched] = []
  var unequal: NoticeTwins.Unmatched = NoticeTwins.Unmatched()
  var optionalUnequal: NoticeTwins.Unmatched?
  var byKey: [String: Int] = [:]
  var outcome: Result<Int, any Error> = .success(0)
  var open: Any?
  var recorded: RecordedArray<Int> = []
  var recordedUnequals: RecordedArray<NoticeTwins.Unmatched> = []
  var recordedByKey: RecordedDictionary<String, Int> = [:]
}

@Recorded final class LoggedNotices: Noticed {
  var int: Int = 0
  var double: Double = 0
  var float: Float = 0
  var flag: Bool = false
  var text: String = ""
  var optionalDouble: Double?
  var ignoring: NoticeTwins.IgnoringNote = NoticeTwins.IgnoringNote(0, "")
  var optionalIgnoring: NoticeTwins.IgnoringNote?
  var object: NoticeTwins.Plain = NoticeTwins.Plain()
  var optionalObject: NoticeTwins.Plain?
  var implicit: NoticeTwins.Plain!
  var equalObject: NoticeTwins.ByContent = NoticeTwins.ByContent(0)
  var optionalEqualObject: NoticeTwins.ByContent?
  var anyObject: AnyObject = NoticeTwins.Plain()
  var classPart: any NoticeTwins.ClassPart = NoticeTwins.Plain()
  var anything: Any = 0
  var part: any NoticeTwins.Part = NoticeTwins.OtherPart()
  var optionalPart: (any NoticeTwins.Part)?
  var anyEquatable: any Equatable = 0
  var hashable: AnyHashable = 0
  var pair: (Int, Int) = (0, 0)
  var function: () -> Void = {}
  var type: Any.Type = Int.self
  var objects: [NoticeTwins.Plain] = []
  var equalObjects: [NoticeTwins.ByContent] = []
  var unequals: [NoticeTwins.Unmatched] = []
  var unequal: NoticeTwins.Unmatched = NoticeTwins.Unmatched()
  var optionalUnequal: NoticeTwins.Unmatched?
  var byKey: [String: Int] = [:]
  var outcome: Result<Int, any Error> = .success(0)
  var open: Any?
  var recorded: RecordedArray<Int> = []
  var recordedUnequals: RecordedArray<NoticeTwins.Unmatched> = []
  var recordedByKey: RecordedDictionary<String, Int> = [:]
}
