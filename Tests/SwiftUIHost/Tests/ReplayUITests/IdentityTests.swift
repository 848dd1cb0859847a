import Projection
import ReplayUI
import SwiftUI
import Testing

/// A projection lives as long as its view's identity.
@MainActor @Suite struct IdentityTests {
  @Test func rowsThatMoveKeepTheirProjectionsAndDoNotRun() throws {
    let (store, tally) = (Store(count: 4), Tally())
    let log = try RecordedLog { session in
      session.attach(store, as: "store")
      let host = Host(ListScreen(tally: tally).environment(store).recorded(by: session))
      store.items.swapAt(0, 3)
      host.update()
      #expect(host.texts.filter { $0.hasPrefix("Item") } == ["Item 3", "Item 1", "Item 2", "Item 0"])
      store.items.insert(Item(id: 9, title: "Item 9"), at: 1)
      host.update()
      #expect(host.texts.filter { $0.hasPrefix("Item") }.count == 5)
    }
    #expect(log.evaluations == tally.counts)
    #expect(tally["ListScreen"] == 3)
    for id in [0, 1, 2, 3, 9] { #expect(tally["ItemRow#\(id)"] == 1) }
    #expect(log.disposed == [])
    #expect(log.parents["ItemRow#9"] == "ListScreen")
  }

  @Test func aRowThatGoesEndsItsProjectionAndThoseBelow() throws {
    let (store, tally) = (Store(count: 3), Tally())
    let log = try RecordedLog { session in
      session.attach(store, as: "store")
      let host = Host(ListScreen(tally: tally).environment(store).recorded(by: session))
      let removed = store.items.remove(at: 1)
      host.update()
      // It is no longer shown.
      removed.isDone = true
      removed.title = "gone"
      host.update()
    }
    #expect(Set(log.disposed) == ["ItemRow#1", "Mark#1"])
    #expect(log.evaluations == tally.counts)
    #expect(log.invalidations == ["ListScreen": 1])
  }

  @Test func aRowOffTheScreenIsPutOutOfDateButRunsWhenItComesBack() throws {
    let (store, tally) = (Store(count: 3), Tally())
    let log = try RecordedLog { session in
      session.attach(store, as: "store")
      let host = Host(ListScreen(tally: tally).environment(store).recorded(by: session))
      host.rowsOnScreen = 1..<3
      host.update()
      store.items[id: 0]?.title = "A"
      host.update()
      store.items[id: 0]?.title = "B"
      host.update()
      #expect(tally["ItemRow#0"] == 1)
      host.rowsOnScreen = 0..<3
      host.update()
      #expect(host.texts.contains("B"))
    }
    #expect(log.invalidations == ["ItemRow#0": 2])
    #expect(tally["ItemRow#0"] == 2)
    #expect(log.causes(of: "ItemRow#0") == ["-", "store.items[id: 0].title"])
    #expect(log.evaluations == tally.counts)
    #expect(log.disposed == [])
  }

  @Test func aRowThatIsForgottenOffTheScreenEnds() throws {
    let (store, tally) = (Store(count: 3), Tally())
    let log = try RecordedLog { session in
      session.attach(store, as: "store")
      let host = Host(ListScreen(tally: tally).environment(store).recorded(by: session))
      host.rowsOnScreen = 1..<3
      host.update()
      host.forgetHiddenRows()
      session.mark("forgotten")
      store.items[id: 0]?.title = "A"
      host.rowsOnScreen = 0..<3
      host.update()
    }
    #expect(Set(log.disposed) == ["ItemRow#0", "Mark#0"])
    #expect(tally["ItemRow#0"] == 2)
    #expect(log.evaluations == tally.counts)
    #expect(log.invalidations == [:])
  }

  struct Numbered: View {
    @State private var number = 1
    let inbox: Inbox
    let tally: Tally
    var body: some View {
      VStack {
        Button("next") { number = 3 - number }
        ScopeView(Inbox.self, name: "Scope") { inbox, _ in
          let _ = tally.count("Scope")
          Text("\(inbox.count)")
        }
        .onFirstAppear { inbox.text += "\(number)" }
        .id(number)
      }
      .environment(inbox)
    }
  }

  @Test func anotherIdIsAnotherProjectionAndAppearsForTheFirstTime() throws {
    let (inbox, tally) = (Inbox(), Tally())
    let log = try RecordedLog { session in
      session.attach(inbox, as: "inbox")
      let host = Host(Numbered(inbox: inbox, tally: tally).recorded(by: session))
      #expect(inbox.text == "1")
      host.press("next")
      host.press("next")
      #expect(inbox.text == "121")
      host.close()
      inbox.count = 1
    }
    #expect(tally["Scope"] == 3)
    #expect(log.evaluations.values.reduce(0, +) == 3)
    #expect(log.disposed.count == 3)
    #expect(log.invalidations == [:])
  }

  struct Recycled: View {
    @State private var shown = 0
    let items: [Item]
    let tally: Tally
    var body: some View {
      Button("next") { shown += 1 }
      ItemRow(item: items[shown], tally: tally)
    }
  }

  @Test func aViewThatIsGivenAnotherElementHasTheProjectionOfThat() throws {
    let (items, tally) = ((0..<2).map { Item(id: $0, title: "Item \($0)") }, Tally())
    let log = try RecordedLog { session in
      for item in items { session.attach(item, as: "item\(item.id)") }
      let host = Host(Recycled(items: items, tally: tally).recorded(by: session))
      host.press("next")
      #expect(host.texts == ["next", "Item 1", "do 1"])
    }
    #expect(log.evaluations == ["ItemRow#0": 1, "Mark#0": 1, "ItemRow#1": 1, "Mark#1": 1])
    #expect(log.evaluations == tally.counts)
    #expect(Set(log.disposed) == ["ItemRow#0", "Mark#0"])
    #expect(log.parents["Mark#1"] == "ItemRow#1")
  }

  @Test func aViewThatIsNoLongerRecordedRunsOn() throws {
    let (store, tally) = (Store(count: 1), Tally())
    struct Switch: View {
      @State private var isOn = true
      let session: Session
      let tally: Tally
      var body: some View {
        Button("switch") { isOn.toggle() }
        ListScreen(tally: tally).recorded(by: isOn ? session : nil)
      }
    }
    let log = try RecordedLog { session in
      session.attach(store, as: "store")
      let host = Host(Switch(session: session, tally: tally).environment(store))
      host.press("switch")
      host.press("do 0")
      #expect(host.texts.contains("done 0"))
    }
    #expect(log.evaluations == ["ListScreen": 1, "ItemRow#0": 1, "Mark#0": 1])
    #expect(Set(log.disposed) == ["ListScreen", "ItemRow#0", "Mark#0"])
    #expect(tally["Mark#0"] == 3)
  }
}
