import EventLog
import Foundation
import LogGenerator
import Projection
import Testing

/// Sets of every kind of value have the effect of a set, whichever code path they take.
@Suite struct KindTests {
  /// One change of a model: the property, and its new value.
  struct Change: Sendable, CustomStringConvertible {
    var kind: Int
    var number: Int
    var description: String { "(\(kind), \(number))" }
  }

  @Test(arguments: 0..<12) func whatTheLogHoldsAfterEachSetIsWhatTheObjectHolds(_ round: Int) throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var kinds = Array(0..<Self.kindCount)
    // Some rounds change few properties, so that each is changed many times in a row.
    if round % 3 > 0 { kinds = Array(kinds.shuffled(using: &random).prefix(3 * (round % 3))) }
    let changes = (0..<200).map { _ in
      Change(kind: kinds.randomElement(using: &random) ?? 0, number: Int.random(in: 0..<7, using: &random))
    }
    guard let problem = problem(with: changes, round) else { return }
    let (least, last) = shrunk(changes, round, problem)
    Issue.record("seed \(seed), round \(round): \(last)\nafter \(least)")
  }

  @Test func anotherCaseOfAnEnumIsOneSet() throws {
    let model = Kinds()
    let log = try events(of: model) { _ in
      model.outcome = .running(progress: 0.5)
      model.outcome = .failed(code: 1, reason: "no")
      model.outcome = .failed(code: 2, reason: "no")
    }
    #expect(log.count == 3)
    #expect(log.mutations.last == "row.outcome.failed.code <- 2")
  }

  @Test func aFieldThatIsSetOftenIsOneSetOfTheFieldEach() throws {
    let model = Kinds()
    let log = try events(of: model) { _ in for age in 1...5 { model.deposit.owner.age = age } }
    #expect(log.mutations == (1...5).map { "row.deposit.owner.age <- \($0)" })
  }

  @Test func anElementThatASetGainsOrLosesIsASplice() throws {
    let model = Kinds()
    let log = try events(of: model) { _ in
      model.chosen.insert(9)
      model.chosen.remove(2)
    }
    #expect(log.mutations == ["row.chosen <- 3,0,[9]", "row.chosen <- 1,1,[]"])
  }

  /// The shortest list of changes found that still fails, and its error.
  private func shrunk(_ changes: [Change], _ round: Int, _ problem: String) -> ([Change], String) {
    var (least, last) = (changes, problem)
    var size = changes.count / 2
    while size > 0 {
      var start = 0
      while start < least.count {
        var fewer = least
        fewer.removeSubrange(start..<min(start + size, least.count))
        if let problem = self.problem(with: fewer, round) {
          (least, last) = (fewer, problem)
        } else {
          start += size
        }
      }
      size /= 2
    }
    return (least, last)
  }

  /// The error after some changes; nil if there is none.
  private func problem(with changes: [Change], _ round: Int) -> String? {
    do { return try play(changes, isRead: round % 2 == 0, inTransactions: round % 4 > 1) } catch {
      return "\(error)"
    }
  }

  private func play(_ changes: [Change], isRead: Bool, inTransactions: Bool) throws -> String? {
    let url = FileManager.default.temporaryDirectory.appending(path: "kinds-\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    let model = Kinds()
    session.attach(model, as: "model")
    var seen: [String] = []
    let looks = Self.looks
    if isRead {
      seen = looks.map { $0(model) }
      for (index, look) in looks.enumerated() {
        session.projection("P\(index)") { _ in seen[index] = look(model) }
      }
    }
    var expected: [(values: [String: Value], child: Int)] = []
    for (index, change) in changes.enumerated() {
      if inTransactions, change.number == 3 {
        session.transaction {
          Self.apply(change, to: model)
          Self.apply(Change(kind: change.kind, number: 4), to: model)
        }
      } else {
        Self.apply(change, to: model)
      }
      session.mark("\(index)")
      expected.append((model.values, model.child.number))
      if isRead, seen != looks.map({ $0(model) }) { return "a reader saw \(seen)" }
    }
    guard session.diagnostics.isEmpty else { return "\(session.diagnostics)" }
    try closeAndCheck(session, url)
    return try difference(of: url, from: expected)
  }

  /// The first difference between the log and its expected content at one of its marks.
  private func difference(
    of url: URL, from expected: [(values: [String: Value], child: Int)]
  ) throws -> String? {
    var state = State()
    var result: String?
    try LogReader(path: url.path).forEachEvent { event in
      try state.apply(event)
      guard result == nil, case .mark(let label) = event.body, let index = Int(label) else { return }
      for (name, value) in expected[index].values {
        let path = Path(root: .named("model"), components: [.property(name)])
        let found = state.value(at: path)
        if found != value { result = "\(path) is \(String(describing: found)), and not \(value)" }
      }
      let child = Path(root: .named("model"), components: [.property("child"), .property("number")])
      if state.value(at: child) != .int(Int64(expected[index].child)) { result = "the child differs" }
    }
    return result
  }

  /// The reads of each projection. If only part of a value is compared, the projection shows only that part.
  private static var looks: [(Kinds) -> String] {
    [
      { "\($0.number) \($0.small) \($0.big) \($0.ratio)" }, { "\($0.optional as Any)" },
      { "\($0.text) \($0.note as Any)" }, { "\($0.created) \($0.due as Any)" }, { "\($0.key)" },
      { "\($0.link)" }, { "\($0.price) \($0.bytes)" }, { "\($0.phase)" }, { "\($0.nextPhase as Any)" },
      { "\($0.urgency) \($0.flags)" }, { "\($0.outcome)" }, { "\($0.lastOutcome as Any)" },
      { "\($0.figure)" }, { "\($0.person)" }, { "\($0.guest as Any)" }, { "\($0.deposit.owner.age)" },
      { "\($0.sheet)" }, { "\($0.loose)" }, { "\($0.meter.step)" }, { "\($0.tags)" },
      { "\($0.chosen.sorted())" }, { "\($0.scores.sorted { $0.key < $1.key })" },
      { "\($0.child.number)" }, { "\($0.secret as Any)" },
    ]
  }

  private static let kindCount = 55

  private static func apply(_ change: Change, to model: Kinds) {
    let number = change.number
    let text = ["", "é", "short", "a text of more than sixteen bytes", "a text of more than sixteen letters"]
    let words = text[number % text.count] + (number > 4 ? "\(number)" : "")
    switch change.kind {
    case 0: model.number = number
    case 1: model.number += number
    case 2: model.small = Int8(number)
    case 3: model.big = number < 3 ? UInt64(number) : .max - UInt64(number)
    case 4: model.ratio = number == 0 ? .nan : Double(number) / 8
    case 5: model.optional = number == 0 ? nil : number
    case 6: model.optional? += number
    case 7: model.text = words
    case 8: model.text += words
    case 9: model.note = number == 6 ? nil : words
    case 10: model.note?.append(words)
    case 11: model.created = Date(timeIntervalSinceReferenceDate: Double(number))
    case 12: model.created.addTimeInterval(Double(number))
    case 13: model.due = number == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(number))
    case 14: model.key = Kinds.key(number)
    case 15: model.link = Kinds.link(number)
    case 16: model.price = Decimal(number) / 8
    case 17: model.price += 1
    case 18: model.bytes = Data(repeating: UInt8(number), count: number)
    case 19: model.bytes.append(UInt8(number))
    case 20: model.phase = [.idle, .loading, .done][number % 3]
    case 21: model.nextPhase = [nil, .idle, .loading, .done][number % 4]
    case 22: model.urgency = number % 2 == 0 ? .low : .high
    case 23: model.flags = Flags(rawValue: number)
    case 24: model.flags.formSymmetricDifference(Flags(rawValue: number))
    case 25: model.outcome = outcome(number)
    case 26: model.outcome = .running(progress: Double(number))
    case 27: model.lastOutcome = number == 6 ? nil : outcome(number)
    case 28: model.figure = number % 3 == 0 ? .flat : .circle(radius: number)
    case 29: model.person.age = number
    case 30: model.person.name = words
    case 31: model.person.nick = number == 6 ? nil : words
    case 32: model.person.phase = [.idle, .loading, .done][number % 3]
    case 33: model.person.born += Double(number)
    case 34: model.person.marks = Array(0..<number)
    case 35: model.person = Human(name: words, age: number)
    case 36: model.guest = number == 6 ? nil : Human(age: number)
    case 37: model.guest?.age = number
    case 38: model.deposit.owner.age = number
    case 39: model.deposit.owner.nick = number == 6 ? nil : words
    case 40: model.deposit.balance = Double(number)
    case 41: model.deposit = Deposit(owner: model.person, balance: Double(number))
    case 42: model.sheet.age = number
    case 43: model.sheet.name = words
    case 44: model.sheet.mail = number % 2 == 0 ? nil : words
    case 45: model.loose.first = number
    case 46: model.loose.second = words
    case 47: model.meter = Meter(step: number / 3, noise: number)
    case 48: if !model.tags.isEmpty { model.tags[number % model.tags.count] = words }
    case 49: model.tags = Array(repeating: words, count: number % 4) + ["x", "\(number)"]
    case 50: if number < 4 { model.tags.append(words) } else { _ = model.tags.popLast() }
    case 51: if number % 2 == 0 { model.chosen.insert(number) } else { model.chosen.remove(number - 1) }
    case 52: model.scores["abcd".map(String.init)[number % 4]] = number > 4 ? nil : number
    case 53:
      if number < 2 { model.child = KindChild() }
      model.child.number = number
    default: model.secret = number == 0 ? nil : number
    }
  }

  private static func outcome(_ number: Int) -> Outcome {
    switch number % 4 {
    case 0: .waiting
    case 1: .running(progress: Double(number))
    case 2: .failed(code: number, reason: "no")
    default: .named("n\(number)")
    }
  }
}
