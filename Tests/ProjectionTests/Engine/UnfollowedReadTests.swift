#if !canImport(Darwin)
  import Foundation
  import Observation
  import Projection
  import Testing

  /// Objects that are `@Observable` but not recorded are not followed. A session reports that it has read one.
  @Suite struct UnfollowedReadTests {
    @Observable final class Settings {
      var size = 1
      var name = "name"
      @ObservationIgnored var hidden = 0
    }

    @Observable class Theme { var color = 1 }
    @Observable final class DarkTheme: Theme { var depth = 2 }
    @Observable final class Box<Content> {
      var content: Content
      init(_ content: Content) { self.content = content }
    }

    @Recorded final class Store {
      var count = 0
      var rows: RecordedArray<Int> = [1, 2, 3]
    }

    private let session = Session()
    private let store = Store()
    private let settings = Settings()

    init() { session.attach(store, as: "store") }

    private var messages: [String] { session.diagnostics.map(\.message) }

    private func message(_ name: String, _ type: String) -> String {
      "\(name) reads a \(type), which is @Observable but not recorded, and is not invalidated by its changes; "
        + "make the class @Recorded, and attach the object, or follow it: "
        + "session.follow(object, as: \"name\", properties: \\.property)"
    }

    @Test func aProjectionThatReadsOneIsReportedOnceForEachClass() {
      session.projection("Badge") { _ in store.count + settings.size }
      session.projection("Title") { _ in settings.name }
      for row in 0..<100 { session.projection("Row#\(row)") { _ in Settings().size + store.rows[0] } }
      session.projection("Look") { _ in DarkTheme().color + DarkTheme().depth }
      session.projection("Boxes") { _ in Box(1).content }
      #expect(
        messages == [
          message("Badge", "Settings"), message("Look", "DarkTheme"), message("Look", "Theme"),
          message("Boxes", "Box<Int>"),
        ])
    }

    @Test func theInnermostRunThatReadsItIsNamed() {
      let sum = session.derived("sum") { settings.size + store.count }
      session.projection("Parent") { parent in
        parent.child("Row", id: 7) { _ in DarkTheme().depth }
        return sum.value
      }
      #expect(Set(messages) == [message("sum", "Settings"), message("Row", "DarkTheme")])
    }

    @Test func aHostedProjectionIsReportedUnlessItsHostObservesWhatItReads() throws {
      struct Failure: Error {}
      let row = session.hosted("Row")
      _ = withObservationTracking({ row.run { settings.size } }, onChange: {})
      #expect(messages == [])
      // Not all runs are observed.
      for _ in 0..<8 {
        #expect(throws: Failure.self) {
          try row.run {
            _ = settings.size
            throw Failure()
          }
        }
      }
      #expect(messages == [message("Row", "Settings")])
    }

    @Test func aHostThatObservesSeveralRunsAtOnceFollowsThemAll() {
      let rows = (0..<4).map { session.hosted("Row", id: $0) }
      withObservationTracking({ for row in rows { row.run { settings.size } } }, onChange: {})
      session.projection("Around") { _ in
        untracked { _ = store.count }
        let inner = session.hosted("Inner")
        withObservationTracking(
          { _ = (inner.run { settings.size }, inner.run { settings.size }) }, onChange: {})
      }
      #expect(
        messages == [message("Around or a projection within it", "Settings")], "the inner one is not named")
    }

    @Test func hostedRunsWithinEachOtherAreToldApart() {
      let outer = session.hosted("Outer"), inner = session.hosted("Inner", parent: outer)
      for _ in 0..<20 { outer.run { inner.run { store.count } } }
      session.projection("Around") { around in
        around.child("Child") { _ in store.count }
        return inner.run { store.count }
      }
      #expect(messages == [], "they read recorded objects")
      for _ in 0..<200 { outer.run { _ = inner.run { settings.size } } }
      #expect(messages == [message("Inner", "Settings")])
    }

    @Test func aRunIsNotBlamedForOneWithinItThatIsNotObserved() {
      let outer = session.hosted("Outer"), inner = session.hosted("Inner", parent: outer)
      for run in 0..<20 {
        // The outer one is observed in its first and ninth run, and the inner one not within the latter.
        outer.run { for _ in 0..<2 { inner.run { run < 8 ? 0 : settings.size } } }
      }
      #expect(messages == [message("Outer or a projection within it", "Settings")])
    }

    @Test func whatABodyReadsBesideUntrackedCodeIsFound() {
      session.projection("View") { _ in
        store.count + settings.size + untracked { store.count + DarkTheme().depth }
      }
      #expect(messages == [message("View", "Settings")])
      session.projection("Thrown") { _ in
        try? untracked { () throws(CancellationError) in throw CancellationError() }
        return Theme().color
      }
      #expect(messages.last == message("Thrown", "Theme"))
      // Each is an observation of its own, so of very many there is none.
      session.projection("Many") { _ in
        for _ in 0..<100 { _ = untracked { Box("").content } }
        return Box(1).content
      }
      #expect(messages.count == 2)
    }

    @Test func aParentIsNotBlamedForWhatItsChildrensCallbacksRead() {
      session.projection("Parent") { parent in
        parent.child("Child") { child in
          child.onFirstAppear { _ = settings.size }
          child.onCleanup { _ = settings.size }
          return store.count
        }
        return store.count
      }
      for _ in 0..<100 { store.count += 1 }
      #expect(messages == [])
    }

    @Test func hostedProjectionsOfASessionThatFollowsObjectsAreReportedToo() {
      session.follow(Theme(), as: "theme", properties: \.color)
      let row = session.hosted("Row")
      row.run { settings.size }
      #expect(messages == [message("Row", "Settings")])
    }

    @Test func whatIsReadAsideIsNotReported() {
      session.projection("Untracked") { _ in untracked { settings.size } + store.count }
      session.projection("Ignored") { _ in settings.hidden }
      session.onChange(of: \.count, in: store) { _, _ in _ = settings.size }
      session.onReceive(of: \.count, in: store) { _ in _ = settings.size }
      session.projection("First") { scope in
        scope.onFirstAppear { _ = settings.size }
        scope.onCleanup { _ = settings.size }
        return store.count
      }
      for _ in 0..<20 { store.count += 1 }
      #expect(messages == [])
      session.projection("Reader") { _ in settings.size }
      #expect(messages == [message("Reader", "Settings")], "beside them it is")
    }

    @Test func recordedObjectsAreNeverNamed() throws {
      let other = Store()
      session.projection("View") { _ in
        store.rows.append(1)
        return store.count + store.rows.count + other.count
      }
      for _ in 0..<20 { store.count += 1 }
      #expect(messages.allSatisfy { !$0.contains("@Observable") }, "\(messages)")
      session.projection("Both") { _ in store.count + other.count + settings.size }
      #expect(messages.filter { $0.contains("@Observable") } == [message("Both", "Settings")])
    }

    @Test func aReadThatBeginsLateIsFoundLater() {
      session.projection("Badge") { _ in store.count < 100 ? store.count : settings.size }
      for _ in 0..<90 { store.count += 1 }
      #expect(messages == [])
      for _ in 0..<1_000 { store.count += 1 }
      #expect(messages == [message("Badge", "Settings")])
    }

    @Test func observersOfTheAppAroundARunAndWithinSeeAllThatItReads() {
      for read in [{ _ = store.count }, { _ = store.rows[0] }, { _ = settings.size }] {
        let (around, within) = (Journal(), Journal())
        var names = 0
        func projection(_ body: @escaping () -> Void) {
          names += 1
          session.projection("View \(names)") { _ in body() }
        }
        around.watch("around") { projection(read) }
        projection { within.watch("within", read) }
        store.count += 1
        store.rows[0] += 1
        settings.size += 1
        #expect(around.lines == ["around changes"] && within.lines.first == "within changes")
      }
      #expect(messages.count == 1 && messages[0].contains(" reads a Settings, "), "so does the session")
    }

    @Test func theLogHasTheReport() throws {
      let log = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
      defer { try? FileManager.default.removeItem(at: log) }
      let session = try Session(recordingTo: log)
      session.projection("Badge") { _ in settings.size }
      try closeAndCheck(session, log)
      let labels = try labelsOfMarks(in: log)
      #expect(labels == ["diagnostic: " + message("Badge", "Settings")])
    }
  }
#endif
