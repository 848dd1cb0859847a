import EventLog
import Foundation
import Projection
import Testing

/// Which initializer creates an object, for typical classes.
@Suite struct MakingObjects {
  @Test func theInitializerThatTakesMostPropertiesIsCalled() throws {
    let place = try LogPlace()
    try place.record { session in
      session.attach(Several(id: 7, title: "t", log: []), as: "a")
      session.attach(Generic(element: 1.5), as: "b")
      session.attach(Plain(), as: "c")
      session.attach(try Throwing(3), as: "d")
    }
    let recording = try Recording(place.url)
    let several = try recording.restore(Several.self, root: "a")
    #expect(several.id == 7 && several.title == "t" && several.calls == ["id title log"])
    #expect(try recording.restore(Generic<Double>.self, root: "b").element == 1.5)
    #expect(try recording.restore(Plain.self, root: "c").id == 0)
    #expect(try recording.restore(Throwing.self, root: "d").number == 3)
  }

  @Test func anErrorOfAnInitializerIsReportedAndTheRestIsRestored() throws {
    let place = try LogPlace()
    try place.record { session in
      let holder = Holder()
      session.attach(holder, as: "holder")
      holder.throwing = try Throwing(3)
      holder.throwing?.number = -1
      holder.other = 5
    }
    let restored = try Recording(place.url).restoreWhatFits(Holder.self, root: "holder")
    #expect(restored.object.other == 5 && restored.object.throwing == nil)
    #expect(restored.problems.map { "\($0.path) \($0.recorded)" } == ["holder.throwing Throwing"])
    #expect(restored.problems.first?.reason.contains("negative") == true)
  }

  @Test func aClassThatNoInitializerCanMakeIsReported() throws {
    let place = try LogPlace()
    try place.record { $0.attach(Unmakable({}), as: "a") }
    let error = #expect(throws: RestoreError.self) {
      try Recording(place.url).restore(Unmakable.self, root: "a")
    }
    #expect(error?.description.contains("no initializer of it takes properties alone") == true)
  }
}

@Recorded final class Several: Identifiable, CustomStringConvertible {
  let id: Int
  private(set) var title: String
  @RecordedIgnored var calls: [String] = []
  var description: String { title }

  init(id: Int) {
    self.id = id
    title = ""
    calls.append("id")
  }

  /// The same labels with other types.
  convenience init(id: String, title: String) {
    self.init(id: 0)
    calls.append("string title")
  }

  init(id: Int, title aTitle: Substring) {
    self.id = id
    title = String(aTitle)
    calls.append("id substring")
  }

  init(id: Int, title: String!, log: [String] = []) {
    self.id = id
    self.title = title
    calls.append("id title log")
  }

  init?(title: String) { return nil }

  @MainActor init(id: Int, title: String, on screen: Screen) {
    self.id = id
    self.title = title
  }

  @available(*, unavailable) init(title: String, id: Int) { fatalError() }

  init<T>(id: Int, title: T) {
    self.id = id
    self.title = "\(title)"
  }
}

@Recorded final class Generic<Element> {
  private(set) var element: Element
  init(element: Element) { self.element = element }
}

@Recorded class Plain: Identifiable, @unchecked Sendable { var id = 0 }

struct Negative: Error, CustomStringConvertible { var description: String { "negative" } }

@Recorded final class Throwing {
  var number: Int
  init(_ number: Int) throws {
    if number < 0 { throw Negative() }
    self.number = number
  }
}

@Recorded final class Holder {
  var throwing: Throwing?
  var other = 0
}

@Recorded final class Unmakable {
  @RecordedIgnored let action: () -> Void
  init(_ action: @escaping () -> Void) { self.action = action }
}
