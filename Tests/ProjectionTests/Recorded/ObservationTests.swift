import Observation
import Projection
import Testing

/// The behaviour of a recorded model for users of the standard library's Observation, attached or not.
@Suite struct ObservationTests {
  @Test(arguments: [false, true])
  func withObservationTrackingIsNotifiedOfTheNextChangeOnly(isAttached: Bool) {
    let model = Model()
    let session = Session()
    if isAttached { session.attach(model, as: "app") }
    let notices = Notices()
    withObservationTracking {
      _ = model.isLoading
    } onChange: {
      notices.count += 1
    }
    model.text = "another"
    model.isLoading = false
    #expect(notices.count == 0)
    model.isLoading = true
    model.isLoading = false
    #expect(notices.count == 1)
  }

  /// Trackers are installed when the closure ends, so there is none yet when the closure writes.
  @Test(arguments: [false, true], 0...3)
  func aClosureThatReadsAndThenWritesIsNotifiedOfTheNextWrite(isAttached: Bool, writes: Int) {
    let model = Model()
    let session = Session()
    if isAttached { session.attach(model, as: "app") }
    let notices = Notices()
    withObservationTracking {
      _ = model.isLoading
      for _ in 0..<writes { model.isLoading.toggle() }
    } onChange: {
      notices.count += 1
    }
    #expect(notices.count == 0)
    model.isLoading.toggle()
    #expect(notices.count == 1)
    model.isLoading.toggle()
    #expect(notices.count == 1)
  }

  @Test(arguments: [false, true])
  func everyTrackerOfAPropertyIsNotified(isAttached: Bool) {
    let model = Model()
    let session = Session()
    if isAttached { session.attach(model, as: "app") }
    let notices = Notices()
    withObservationTracking {
      withObservationTracking {
        _ = model.isLoading
      } onChange: {
        notices.count += 1
      }
    } onChange: {
      notices.count += 10
    }
    withObservationTracking {
      _ = model.isLoading
    } onChange: {
      notices.count += 100
    }
    model.text = "another"
    #expect(notices.count == 0)
    model.isLoading = true
    #expect(notices.count == 111)
    model.isLoading = false
    #expect(notices.count == 111)
  }

  /// The session's own projections read too, but the standard library does not track that.
  @Test func aPropertyThatAProjectionReadsIsStillTracked() {
    let model = Model()
    let session = Session()
    session.attach(model, as: "app")
    session.projection("P") { _ in _ = model.isLoading }
    let notices = Notices()
    for round in 1...3 {
      withObservationTracking {
        _ = model.isLoading
      } onChange: {
        notices.count += 1
      }
      model.isLoading.toggle()
      model.isLoading.toggle()
      #expect(notices.count == round)
    }
  }

  @Test(arguments: [false, true])
  func aNoticeComesBeforeTheValueIsStored(isAttached: Bool) {
    nonisolated(unsafe) let model = Model()
    let session = Session()
    if isAttached { session.attach(model, as: "app") }
    let notices = Notices()
    withObservationTracking {
      _ = model.isLoading
    } onChange: {
      notices.seen.append(model.isLoading)
    }
    model.isLoading = true
    #expect(notices.seen == [false])
  }

  @Test(arguments: [false, true])
  func recordedCollectionsAreObservedAsProperties(isAttached: Bool) {
    let model = Model()
    model.rows = [Item(id: 1), Item(id: 2)]
    let session = Session()
    if isAttached { session.attach(model, as: "app") }
    let notices = Notices()
    withObservationTracking {
      _ = model.rows[0]
    } onChange: {
      notices.count += 1
    }
    model.rows[1].count += 1
    #expect(notices.count == 1)
  }

  @MainActor
  @Test(arguments: [false, true])
  func observationsYieldTheValues(isAttached: Bool) async {
    let model = MainModel()
    let session = Session()
    if isAttached { session.attach(model, as: "app") }
    let values = Observations { model.count }
    var seen: [Int] = []
    for await value in values {
      seen.append(value)
      if value == 3 { break }
      model.count += 1
    }
    #expect(seen == [0, 1, 2, 3])
  }

  @MainActor
  @Test func aModelOfTheMainActorNeedsNoAnnotations() {
    let model = MainModel()
    let session = Session()
    session.attach(model, as: "app")
    var seen: [Int] = []
    session.projection("View") { _ in seen.append(model.count) }
    session.onChange(of: \.count, in: model) { old, new in seen.append(old * 100 + new) }
    model.count = 2
    #expect(seen == [0, 2, 2])
  }
}

@MainActor @Recorded final class MainModel {
  var count = 0
}

/// The storage that `onChange` closures, which must be sendable, write into.
final class Notices: @unchecked Sendable {
  var count = 0
  var seen: [Bool] = []
}
