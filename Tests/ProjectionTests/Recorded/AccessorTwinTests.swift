import Observation
import Projection
import Testing

/// Reading and writing look the same with `@Observable` and with `@Recorded`.
@Suite struct AccessorTwins {
  @Test(arguments: [false, true])
  func gettersSettersAndMutationInPlaceNotifyAlike(isAttached: Bool) {
    func script(_ model: some AccessorModel) -> [String] {
      let journal = Journal()
      for step in 0..<9 {
        journal.watch("number") { _ = model.number }
        journal.watch("numbers") { _ = model.numbers }
        journal.watch("text") { _ = model.text }
        switch step {
        case 0: model.number = 1
        case 1: model.number = 1
        case 2: model.number += 2
        case 3: model.numbers.append(5)
        case 4: model.numbers[0] = 7
        case 5: model.numbers = [7]
        case 6: model.text = "b"
        case 7: swap(&model.number, &model.other)
        default: model[keyPath: \.text].append("c")
        }
        journal.append("\(model.number) \(model.numbers) \(model.text) \(model.other)")
      }
      return journal.lines
    }
    let twin = LoggedAccessors()
    let session = session(recording: twin, if: isAttached)
    let seen = script(twin)
    #expect(seen == script(PlainAccessors()))
    #expect(seen.filter { $0.hasSuffix("changes") }.count >= 7)
    withExtendedLifetime(session) {}
  }

  @Test func mutationInPlaceStaysInPlace() {
    func script(_ model: some AccessorModel) -> Bool {
      model.numbers = Array(0..<100)
      return staysInPlace({ model.numbers }) {
        model.numbers[3] = 9
        model.numbers.sort()
      }
    }
    #expect(script(PlainAccessors()))
    #expect(script(LoggedAccessors()))
  }

  @Test(arguments: [false, true])
  func aMutationThatThrowsLeavesWhatItWrote(isAttached: Bool) {
    struct Failure: Error {}
    func half(_ number: inout Int) throws {
      number = 50
      throw Failure()
    }
    func script(_ model: some AccessorModel) -> [String] {
      let journal = Journal()
      journal.watch("number") { _ = model.number }
      do { try half(&model.number) } catch { journal.append("thrown") }
      return journal.lines + ["\(model.number)"]
    }
    let twin = LoggedAccessors()
    let session = session(recording: twin, if: isAttached)
    #expect(script(twin) == script(PlainAccessors()))
    withExtendedLifetime(session) {}
  }

  @Test func initAccessorsTakeValuesBeforeTheObjectIsWhole() {
    func text(_ model: some InitialModel) -> String { "\(model.first) \(model.second) \(model.third ?? -1)" }
    #expect(text(LoggedInitial(1)) == text(PlainInitial(1)))
    #expect(text(LoggedInitial(1)) == "2 1 2")
    #expect(LoggedInitial(failing: 0) == nil && PlainInitial(failing: 0) == nil)
    #expect(LoggedInitial(failing: 4)?.first == PlainInitial(failing: 4)?.first)
  }

  @Test(arguments: [false, true])
  func computedPropertiesAreFollowedThroughWhatTheyRead(isAttached: Bool) {
    func script(_ model: some AccessorModel) -> [String] {
      let journal = Journal()
      journal.watch("total") { _ = model.total }
      model.total = 8
      journal.watch("total") { _ = model.total }
      model.text = "unrelated"
      model.number = 3
      return journal.lines + ["\(model.total)"]
    }
    let twin = LoggedAccessors()
    let session = session(recording: twin, if: isAttached)
    #expect(script(twin) == ["total changes", "total changes", "3"])
    #expect(script(PlainAccessors()) == ["total changes", "total changes", "3"])
    withExtendedLifetime(session) {}
  }

  @Test(arguments: [false, true])
  func aTrackingClosureIsNotNotifiedOfItsOwnWriteButOfTheNext(isAttached: Bool) {
    func script(_ model: some AccessorModel) -> [String] {
      let journal = Journal()
      journal.watch("number") {
        _ = model.number
        model.number = 5
      }
      journal.append("tracked")
      model.number = 6
      return journal.lines
    }
    let twin = LoggedAccessors()
    let session = session(recording: twin, if: isAttached)
    #expect(script(twin) == script(PlainAccessors()))
    withExtendedLifetime(session) {}
  }
}

private protocol AccessorModel: AnyObject {
  var number: Int { get set }
  var other: Int { get set }
  var numbers: [Int] { get set }
  var text: String { get set }
  var total: Int { get set }
}

@Observable private final class PlainAccessors: AccessorModel {
  var number = 0
  var other = 4
  var numbers = [1]
  var text = "a"
  var total: Int {
    get { number + numbers.count - 1 }
    set { number = newValue }
  }
}

@Recorded private final class LoggedAccessors: AccessorModel {
  var number = 0
  var other = 4
  var numbers = [1]
  var text = "a"
  var total: Int {
    get { number + numbers.count - 1 }
    set { number = newValue }
  }
}

private protocol InitialModel: AnyObject {
  var first: Int { get }
  var second: Int { get }
  var third: Int? { get }
}

@Observable private final class PlainInitial: InitialModel {
  var first: Int
  private(set) var second: Int
  var third: Int?

  init(_ value: Int) {
    first = value
    second = value
    first += 1
    third = first
  }

  init?(failing value: Int) {
    (first, second) = (value, 0)
    if value == 0 { return nil }
  }
}

@Recorded private final class LoggedInitial: InitialModel {
  var first: Int
  private(set) var second: Int
  var third: Int?

  init(_ value: Int) {
    first = value
    second = value
    first += 1
    third = first
  }

  init?(failing value: Int) {
    (first, second) = (value, 0)
    if value == 0 { return nil }
  }
}
