import Foundation
import Observation
import Projection
import Synchronization
import Testing

/// What other people's classes do that has nothing to do with recording: names, comments, attributes. That these
/// compile without a warning is half of the test.
@Suite struct StrangersClasses {
  @Test func aClassMayUseTheNamesOfThisModule() {
    let model = OwnNames()
    let session = Session()
    session.attach(model, as: "model")
    model.projection = .init(scale: 2)
    #expect(model.projection.scale == 2)
  }

  @Test func commentsAndAttributesStayWhereTheyAre() {
    let model = Commented()
    model.token = "a"
    model.count += 1
    #expect(model.token == "a" && model.count == 3)
  }

  @Test func anInitializerMayTakeSomeOfSomething() {
    let model = TakesSome(items: [1, 2], count: 2)
    model.count += 1
    #expect(model.count == 3)
  }

  @Test func anObserverMayHideItsPropertyInAScope() {
    let model = HidesInScope()
    model.selection = nil
    #expect(model.selection == 3)
    model.selection = 5
    #expect(model.selection == 5 && model.seen == [3, 5])
  }

  @Test func codeMayCallTheRegistrarOfTheStandardLibrary() {
    let model = CallsRegistrar()
    let notices = Mutex(0)
    withObservationTracking {
      _ = model.total
    } onChange: {
      notices.withLock { $0 += 1 }
    }
    model.total = 4
    #expect(notices.withLock { $0 } == 1)
  }
}

@Recorded private final class OwnNames {
  struct Projection: Equatable { var scale = 1.0 }
  struct RecordedRegistrar {}
  struct RecordedObject {}
  var projection = Projection()
}

@Recorded private final class Commented {
  @Redacted  // not for the log
  var token = ""
  // before
  @ObservationIgnored /* within */ var scratch = 1
  fileprivate  // why
    var count /* a */: /* b */ Int /* c */ = /* d */ 2  // after
  @available(*, deprecated) let former = 1
}

@Recorded private final class TakesSome {
  var items: [any Equatable]
  var count: Int

  init(items: [some Equatable], count: Int) {
    self.items = items
    self.count = count
  }
}

@Recorded private final class HidesInScope {
  @RecordedIgnored var seen: [Int] = []
  var selection: Int? {
    didSet {
      if let selection { seen.append(selection) } else { selection = 3 }
    }
  }
}

@Recorded private final class CallsRegistrar {
  @RecordedIgnored private var stored = 1
  var total: Int {
    get {
      _$observationRegistrar.access(self, keyPath: \.total)
      return stored
    }
    set { _$observationRegistrar.withMutation(of: self, keyPath: \.total) { stored = newValue } }
  }
}
