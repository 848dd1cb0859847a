import Observation
import Projection
import Testing

/// `willSet` and `didSet` of a class run alike with `@Observable` and with `@Recorded`.
@Suite struct ObserverTwins {
  @Test(arguments: [false, true])
  func observersRunInOneOrderWithOneOldAndNewValue(isAttached: Bool) {
    func script(_ model: some ObserverModel) -> [String] {
      let journal = Journal()
      model.journal = journal
      journal.watch("both") { _ = model.both }
      model.both = 1
      journal.watch("both") { _ = model.both }
      model.both += 1
      model.both = 2
      journal.watch("named") { _ = model.named }
      model.named = 3
      journal.watch("list") { _ = model.list }
      model.list.append(4)
      model.list = [9]
      return journal.lines
    }
    let twin = LoggedObservers()
    let session = session(recording: twin, if: isAttached)
    let seen = script(twin)
    #expect(seen == script(PlainObservers()))
    #expect(seen.prefix(3) == ["both changes", "both will be 1, is 0", "both was 0, is 1"])
    withExtendedLifetime(session) {}
  }

  @Test(arguments: [false, true])
  func anObserverThatChangesItsOwnPropertyRunsForThatToo(isAttached: Bool) {
    func script(_ model: some ObserverModel) -> [String] {
      let journal = Journal()
      model.journal = journal
      for value in [5, 40, 41] { model.clamped = value }
      model.clamped += 1
      model.limited = [1, 2, 3, 4, 5]
      model.limited.append(6)
      return journal.lines + ["\(model.clamped) \(model.limited)"]
    }
    let twin = LoggedObservers()
    let session = session(recording: twin, if: isAttached)
    let seen = script(twin)
    #expect(seen == script(PlainObservers()))
    #expect(seen.contains("clamped 40 to 10"))
    #expect(seen.last == "10 [1, 2, 3]")
    withExtendedLifetime(session) {}
  }

  @Test func noObserverRunsForTheFirstValueInInit() {
    let journal = Journal()
    _ = PlainObserversInInit(journal)
    journal.append("twin")
    _ = LoggedObserversInInit(journal)
    let halves = journal.lines.split(separator: "twin")
    #expect(halves.count == 2 && halves[0] == halves[1])
    #expect(halves.first == ["was 1, is 2"])
  }

  @Test func anObserverThatNeedsNoOldValueKeepsMutationInPlace() {
    func script(_ model: some ObserverModel) -> Bool {
      model.limited = [3, 2, 1]
      return staysInPlace({ model.limited }) { model.limited[0] = 7 }
    }
    #expect(script(PlainObservers()))
    #expect(script(LoggedObservers()))
  }

  @Test(arguments: [false, true])
  func anObserverMaySetOtherPropertiesAndReturnEarly(isAttached: Bool) {
    func script(_ model: some ObserverModel) -> [String] {
      let journal = Journal()
      model.journal = journal
      journal.watch("newValue") { _ = model.newValue }
      model.source = 1
      model.source = -1
      return journal.lines + ["\(model.newValue) \(model.oldValue)"]
    }
    let twin = LoggedObservers()
    let session = session(recording: twin, if: isAttached)
    #expect(script(twin) == script(PlainObservers()))
    #expect(script(twin).last == "1 0")
    withExtendedLifetime(session) {}
  }
}

private protocol ObserverModel: AnyObject {
  var journal: Journal? { get set }
  var both: Int { get set }
  var named: Int { get set }
  var list: [Int] { get set }
  var clamped: Int { get set }
  var limited: [Int] { get set }
  var source: Int { get set }
  var newValue: Int { get }
  var oldValue: Int { get }
}

@Observable private final class PlainObservers: ObserverModel {
  @ObservationIgnored var journal: Journal?
  var both = 0 {
    willSet { journal?.append("both will be \(newValue), is \(both)") }
    didSet { journal?.append("both was \(oldValue), is \(both)") }
  }
  var named = 0 {
    willSet(next) { journal?.append("named will be \(next)") }
    didSet(last) { journal?.append("named was \(last)") }
  }
  var list: [Int] = [] {
    didSet { journal?.append("list \(list)") }
  }
  var clamped = 0 {
    didSet {
      journal?.append("clamped \(oldValue) to \(clamped)")
      if clamped > 10 { clamped = 10 }
    }
  }
  var limited: [Int] = [] {
    didSet {
      journal?.append("limited")
      if limited.count > 3 { limited.removeLast() }
    }
  }
  var source = 0 {
    didSet {
      if source < 0 { return }
      newValue = source
      self.oldValue = 0
    }
  }
  private(set) var newValue = 0
  private(set) var oldValue = 5
}

@Recorded private final class LoggedObservers: ObserverModel {
  @ObservationIgnored var journal: Journal?
  var both = 0 {
    willSet { journal?.append("both will be \(newValue), is \(both)") }
    didSet { journal?.append("both was \(oldValue), is \(both)") }
  }
  var named = 0 {
    willSet(next) { journal?.append("named will be \(next)") }
    didSet(last) { journal?.append("named was \(last)") }
  }
  var list: [Int] = [] {
    didSet { journal?.append("list \(list)") }
  }
  var clamped = 0 {
    didSet {
      journal?.append("clamped \(oldValue) to \(clamped)")
      if clamped > 10 { clamped = 10 }
    }
  }
  var limited: [Int] = [] {
    didSet {
      journal?.append("limited")
      if limited.count > 3 { limited.removeLast() }
    }
  }
  var source = 0 {
    didSet {
      if source < 0 { return }
      newValue = source
      self.oldValue = 0
    }
  }
  private(set) var newValue = 0
  private(set) var oldValue = 5
}

@Observable private final class PlainObserversInInit {
  @ObservationIgnored let journal: Journal
  var value: Int { didSet { journal.append("was \(oldValue), is \(value)") } }
  init(_ journal: Journal) {
    self.journal = journal
    value = 1
    value = 2
  }
}

@Recorded private final class LoggedObserversInInit {
  @ObservationIgnored let journal: Journal
  var value: Int { didSet { journal.append("was \(oldValue), is \(value)") } }
  init(_ journal: Journal) {
    self.journal = journal
    value = 1
    value = 2
  }
}
