import struct EventLog.Event
import Projection
import ReplayUI
import SwiftUI
import Testing

/// The log of views: parents, causes and durations, and the output of commands for it.
@MainActor @Suite struct LogTests {
  @Test func aRunHasItsParentItsCauseAndADuration() throws {
    let (store, tally) = (Store(count: 2), Tally())
    let log = try RecordedLog { session in
      session.attach(store, as: "store")
      let host = Host(ListScreen(tally: tally).environment(store).recorded(by: session))
      host.press("do 1")
      #expect(host.texts == ["2 items", "Item 0", "do 0", "Item 1", "done 1"])
    }
    #expect(
      log.parents == [
        "ListScreen": "", "ItemRow#0": "ListScreen", "Mark#0": "ItemRow#0", "ItemRow#1": "ListScreen",
        "Mark#1": "ItemRow#1",
      ])
    #expect(log.evaluations == tally.counts)
    #expect(tally["Mark#1"] == 2)
    #expect(log.causes(of: "Mark#1") == ["-", "store.items[id: 1].isDone"])
    let order = log.events.compactMap { event in
      if case .evaluate(let name, _, _, _, _) = event.body { name } else { nil }
    }
    #expect(order.prefix(5) == ["ListScreen", "ItemRow#0", "Mark#0", "ItemRow#1", "Mark#1"])
    for event in log.events {
      if case .evaluate(_, let duration, _, _, _) = event.body { #expect(duration > 0) }
    }
    #expect(try log.why("Mark#1").first == "ran Mark#1")
    #expect(try log.why("Mark#1").last == "set store.items[id: 1].isDone")
    #expect(try log.cascades() == ["set store.items[*].isDone": 1])
  }

  /// Reads in the parent a value that only its children show.
  struct Wide: View {
    @Environment(Inbox.self) private var inbox
    let tally: Tally
    var body: some View {
      recorded("Wide") {
        let _ = tally.count("Wide")
        VStack {
          Row(number: 0, count: inbox.count, tally: tally)
          Row(number: 1, count: inbox.count, tally: tally)
          Row(number: 2, count: 0, tally: tally)
        }
      }
    }
  }

  struct Row: View {
    let number: Int
    let count: Int
    let tally: Tally
    var body: some View {
      recorded(id: number) {
        let _ = tally.count("Row#\(number)")
        Text("\(count)")
      }
    }
  }

  @Test func childrenThatRunWithTheirParentAreInItsCascade() throws {
    let (inbox, tally) = (Inbox(), Tally())
    let log = try RecordedLog { session in
      session.attach(inbox, as: "inbox")
      let host = Host(Wide(tally: tally).environment(inbox).recorded(by: session))
      for count in 1...3 {
        inbox.count = count
        host.update()
      }
      #expect(host.texts == ["3", "3", "0"])
    }
    // The third child gets the same input each time, so the host does not run it.
    #expect(tally.counts == ["Wide": 4, "Row#0": 4, "Row#1": 4, "Row#2": 1])
    #expect(log.evaluations == tally.counts)
    #expect(log.invalidations == ["Wide": 3])
    #expect(log.causes(of: "Row#0") == ["-", "inbox.count", "inbox.count", "inbox.count"])
    #expect(try log.why("Row#0").first == "ran Row#0")
    #expect(try log.why("Row#0").contains("with Wide"))
    #expect(try log.why("Row#0").last == "set inbox.count")
    #expect(try log.cascades() == ["set inbox.count": 9])
  }

  @Test func whatRunsInALaterTurnHasNoCauseOfAnEarlierOne() async throws {
    let (store, tally) = (Store(count: 3), Tally())
    let log = try await RecordedLog.wait { session in
      session.attach(store, as: "store")
      let host = Host(ListScreen(tally: tally).environment(store).recorded(by: session))
      host.rowsOnScreen = 0..<4
      await nextTurn()
      store.items.append(Item(id: 3, title: "Item 3"))
      store.items.append(Item(id: 4, title: "Item 4"))
      host.update()
      await nextTurn()
      // As if the user had scrolled: the list itself does not run.
      host.rowsOnScreen = 0..<5
      host.update()
    }
    #expect(log.evaluations == tally.counts)
    #expect(log.causes(of: "ListScreen").count == 2)
    #expect(log.causes(of: "ItemRow#3") == log.causes(of: "ListScreen").suffix(1))
    #expect(log.causes(of: "ItemRow#4") == ["-"])
  }

  @Test func aScopeIsNamedByItsKindAndItsPlace() throws {
    let inbox = Inbox()
    var line = 0
    let log = try RecordedLog { session in
      session.attach(inbox, as: "inbox")
      line = #line + 1
      let view = ScopeView(Inbox.self) { inbox, _ in Text(inbox.text) }
      _ = Host(view.environment(inbox).recorded(by: session))
    }
    #expect(Array(log.parents.keys) == ["ScopeView(Inbox)@LogTests:\(line)"])
  }

  @Test func anObjectThatIsRecordedAndObservedHasItsSetsAsCauses() throws {
    let (inbox, tally) = (MovedInbox(), Tally())
    struct Screen: View {
      let tally: Tally
      var body: some View {
        ScopeView<ObservableObjectSource<MovedInbox>, _>(MovedInbox.self, name: "Scope") { inbox, _ in
          let _ = tally.count("Scope")
          Text("\(inbox.count)")
        }
      }
    }
    let log = try RecordedLog { session in
      session.attach(inbox, as: "inbox")
      let host = Host(Screen(tally: tally).environmentObject(inbox).recorded(by: session))
      inbox.text = "not shown"
      host.update()
      inbox.count = 1
      host.update()
      inbox.count = 1
      host.update()
    }
    #expect(tally["Scope"] == 4)
    #expect(log.evaluations == tally.counts)
    #expect(log.causes(of: "Scope") == ["-", "inbox.text", "inbox.count", "inbox.count"])
    #expect(log.sets == ["inbox", "inbox.text", "inbox.count", "inbox.count"])
  }

  @Test func twoObservedObjectsOfATypeHaveNamesOfTheirOwn() throws {
    let (first, second, tally) = (OldInbox(), OldInbox(), Tally())
    struct Screen: View {
      let name: String
      let tally: Tally
      var body: some View {
        ScopeView(OldInbox.self, name: name) { inbox, _ in
          let _ = tally.count(name)
          Text("\(inbox.count)")
        }
      }
    }
    let log = try RecordedLog { session in
      let view = VStack {
        Screen(name: "First", tally: tally).environmentObject(first)
        Screen(name: "Second", tally: tally).environmentObject(second)
      }
      let host = Host(view.recorded(by: session))
      second.count = 1
      host.update()
    }
    #expect(log.evaluations == tally.counts)
    #expect(log.causes(of: "First") == ["-"])
    #expect(log.causes(of: "Second") == ["-", "announced_OldInbox_2.objectWillChange"])
  }

  struct Window: View {
    let name: String
    let tally: Tally
    var body: some View {
      ScopeView(OldInbox.self, name: name) { inbox, _ in
        let _ = tally.count(name)
        Text("\(inbox.count)")
      }
    }
  }

  @Test func twoWindowsOfASessionNameObservedObjectsTogether() throws {
    let (first, second, tally) = (OldInbox(), OldInbox(), Tally())
    let log = try RecordedLog { session in
      let one = Host(
        VStack {
          Window(name: "A", tally: tally).environmentObject(first)
          Window(name: "B", tally: tally).environmentObject(second)
        }.recorded(by: session))
      let other = Host(
        VStack {
          Window(name: "C", tally: tally).environmentObject(second)
          Window(name: "D", tally: tally).environmentObject(first)
        }.recorded(by: session))
      second.count = 1
      one.update()
      other.update()
      first.count = 1
      one.update()
      other.update()
    }
    let (ofFirst, ofSecond) = ("announced_OldInbox.objectWillChange", "announced_OldInbox_2.objectWillChange")
    #expect(log.evaluations == tally.counts)
    for name in ["A", "D"] { #expect(log.causes(of: name) == ["-", ofFirst]) }
    for name in ["B", "C"] { #expect(log.causes(of: name) == ["-", ofSecond]) }
    #expect(log.sets == ["announced_OldInbox", "announced_OldInbox_2", ofSecond, ofFirst])
  }

  @Test func aRootOfTheAppMayBeCalledAsAClassThatIsObserved() throws {
    let (inbox, item, tally) = (OldInbox(), Item(id: 1, title: "a"), Tally())
    let log = try RecordedLog { session in
      session.attach(item, as: "OldInbox")
      let host = Host(Window(name: "A", tally: tally).environmentObject(inbox).recorded(by: session))
      inbox.count = 1
      host.update()
      item.title = "b"
    }
    #expect(log.evaluations == tally.counts)
    #expect(log.causes(of: "A") == ["-", "announced_OldInbox.objectWillChange"])
    #expect(
      log.sets == [
        "OldInbox", "announced_OldInbox", "announced_OldInbox.objectWillChange", "OldInbox.title",
      ])
  }

  @Test func anObjectThatComesAfterOneThatWentHasANameOfItsOwn() throws {
    let tally = Tally()
    struct Screen: View {
      @State private var inbox = OldInbox()
      let tally: Tally
      var body: some View {
        Button("next") { inbox = OldInbox() }
        Button("add") { inbox.count += 1 }
        Window(name: "A", tally: tally).environmentObject(inbox)
      }
    }
    let log = try RecordedLog { session in
      let host = Host(Screen(tally: tally).recorded(by: session))
      host.press("next")
      host.press("add")
    }
    #expect(log.evaluations == tally.counts)
    #expect(log.causes(of: "A").last == "announced_OldInbox_2.objectWillChange")
  }
}
