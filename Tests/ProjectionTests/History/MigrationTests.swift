import EventLog
import Foundation
import Projection
import Testing

/// The old app.
private enum Old {
  @Recorded final class OldStore {
    var items: [OldEntry] = []
    var count = "12"
    var draft = "unsent"
    var title = "kept"
    var first: OldEntry?
  }

  @Recorded final class OldEntry {
    let id: Int
    var label = ""
    init(id: Int) { self.id = id }
  }

  static func record(at place: LogPlace) throws {
    try place.record { session in
      let store = OldStore()
      session.attach(store, as: "store")
      store.items = [OldEntry(id: 1), OldEntry(id: 2)]
      store.items[1].label = "two"
      store.first = store.items[0]
      store.count = "13"
    }
  }
}

/// The present app.
@Recorded final class ShopStore {
  var rows: RecordedArray<ShopEntry> = []
  var count = 0
  var title = ""
  var first: ShopEntry?
  var added = "new"
}

@Recorded final class ShopEntry: Identifiable {
  let id: Int
  var text: String
  init(id: Int, text: String) {
    self.id = id
    self.text = text
  }
}

private let migrations: [Migration] = [
  .type("OldStore", to: "ShopStore"),
  .type("OldEntry", to: "ShopEntry"),
  .rename("ShopStore.items", to: "rows"),
  .rename("ShopEntry.label", to: "text"),
  .remove("ShopStore.draft"),
  .retype("ShopStore.count") { (old: String) in Int(old) },
]

@Suite struct Migrations {
  @Test func aLogOfAnOlderAppIsRestoredThroughMigrations() throws {
    let place = try LogPlace()
    try Old.record(at: place)
    let store = try Recording(place.url, migrations: migrations).restore(ShopStore.self, root: "store")
    #expect(store.rows.map(\.id) == [1, 2] && store.rows.map(\.text) == ["", "two"])
    #expect(store.first === store.rows[0])
    #expect(store.count == 13 && store.title == "kept" && store.added == "new")
  }

  @Test func liveObjectsFollowALogOfAnOlderApp() throws {
    let place = try LogPlace()
    try Old.record(at: place)
    let recording = try Recording(place.url, migrations: migrations)
    let session = Session()
    let store = ShopStore()
    session.attach(store, as: "store")
    #expect(try session.apply(recording, through: .max).isEmpty)
    #expect(store.rows.map(\.text) == ["", "two"] && store.first === store.rows[0] && store.count == 13)
    try session.apply(recording, through: 1)
    #expect(store.rows.isEmpty && store.count == 12 && store.first == nil)
  }

  @Test func aTypeThatMovedIsReportedWithBothNames() throws {
    let place = try LogPlace()
    try Old.record(at: place)
    let error = #expect(throws: RestoreError.self) {
      try Recording(place.url).restore(ShopStore.self, root: "store")
    }
    #expect(
      error?.description
        == """
        store: recorded as OldStore, and wanted as ShopStore: declare a migration, `.type`, or list the class \
        among the types
        """)
  }

  @Test func withoutAMigrationEachValueThatDoesNotFitIsReportedAndTheRestIsRestored() throws {
    let place = try LogPlace()
    try Old.record(at: place)
    let some = [migrations[0], migrations[1], migrations[3]]
    let recording = try Recording(place.url, migrations: some)
    let restored = try recording.restoreWhatFits(ShopStore.self, root: "store")
    #expect(
      restored.problems.map(\.description).sorted() == [
        "store.count: recorded as string, and wanted as Int: declare a migration, `.retype`, or give it a type "
          + "that reads both",
        "store.draft: recorded as string, and wanted as ShopStore: the class has no property draft; declare a "
          + "migration, `.rename` or `.remove`",
        "store.items: recorded as array, and wanted as ShopStore: the class has no property items; declare a "
          + "migration, `.rename` or `.remove`",
      ])
    #expect(restored.object.title == "kept" && restored.object.count == 0 && restored.object.rows.isEmpty)
    #expect(restored.object.first?.id == 1)
    let error = #expect(throws: RestoreError.self) { try recording.restore(ShopStore.self, root: "store") }
    #expect(error?.problems.count == 3)
  }

  @Test func aPropertyInsideACollectionIsReportedByItsPath() throws {
    let place = try LogPlace()
    try Old.record(at: place)
    let recording = try Recording(
      place.url, migrations: migrations.enumerated().filter { $0.offset != 3 }.map(\.element))
    let restored = try recording.restoreWhatFits(ShopStore.self, root: "store")
    // The initializer needs `text`, so neither entry can be created, and the properties that hold them stay
    // unchanged.
    #expect(restored.object.rows.isEmpty && restored.object.first == nil && restored.object.count == 13)
    #expect(
      restored.problems.allSatisfy {
        $0.description.contains("].text: recorded as nothing, and wanted as String")
      })
    #expect(restored.problems.count == 2)
  }

  @Test func aConversionWithoutAResultIsAProblemAtItsPath() throws {
    let place = try LogPlace()
    try place.record { session in
      let store = Old.OldStore()
      session.attach(store, as: "store")
      store.count = "many"
    }
    let restored = try Recording(place.url, migrations: migrations).restoreWhatFits(
      ShopStore.self, root: "store")
    #expect(
      restored.problems.first?.description
        == "store.count: recorded as string, and wanted as Int: its migration has no value for it")
    #expect(restored.object.title == "kept")
  }

  @Test func aConstantThatNoInitializerTakesIsReported() throws {
    let place = try LogPlace()
    try place.record { $0.attach(Fixed(), as: "fixed") }
    let restored = try Recording(place.url).restoreWhatFits(Fixed.self, root: "fixed")
    #expect(restored.problems.map { "\($0.path)" } == ["fixed.id"])
    // A constant that already has the recorded value is no problem.
    #expect(restored.object.limit == 3)
  }
}

@Recorded final class Fixed {
  let id = UUID()
  let limit = 3
}
