import Projection
import ReplayUI
import SwiftUI
import Testing

/// When callbacks are called, and that the view with the callback never runs because of them.
@MainActor @Suite struct CallbackTests {
  struct Screen: View {
    let tally: Tally
    var body: some View {
      let _ = tally.count("Screen")
      Text("screen")
        .onChange(of: \.count, in: Inbox.self) { tally.calls.append("\($0) -> \($1)") }
        .onReceive(of: \.count, in: Inbox.self) { tally.calls.append("set \($0)") }
    }
  }

  struct OldScreen: View {
    let tally: Tally
    var body: some View {
      let _ = tally.count("Screen")
      Text("screen")
        .onChange(of: \.count, in: OldInbox.self) { tally.calls.append("\($0) -> \($1)") }
        .onReceive(of: \.$count, in: OldInbox.self) { tally.calls.append("set \($0)") }
    }
  }

  struct Changed: View {
    let tally: Tally
    var body: some View {
      Text("screen").onChange(of: \.count, in: PlainInbox.self) { tally.calls.append("\($0) -> \($1)") }
    }
  }

  private func use(_ host: Host, _ inbox: some AnyInbox) {
    for count in [1, 1, 2] {
      inbox.count = count
      host.update()
    }
    inbox.text = "a"
    host.update()
    // Two sets in one frame.
    inbox.count = 3
    inbox.count = 4
    host.update()
  }

  @Test func aRecordedObjectsChangesAreSeenOnceAFrameAndItsSetsEach() throws {
    let (inbox, tally) = (Inbox(), Tally())
    let log = try RecordedLog { session in
      session.attach(inbox, as: "inbox")
      let host = Host(Screen(tally: tally).environment(inbox).recorded(by: session))
      #expect(tally.calls == [])
      use(host, inbox)
      #expect(host.bodyRuns["Screen"] == 1)
      #expect(host.bodyRuns["ChangeObserver"] == 4)
    }
    #expect(
      tally.calls == ["set 1", "0 -> 1", "set 1", "set 2", "1 -> 2", "set 3", "set 4", "2 -> 4"])
    #expect(log.evaluations.filter { $0.key.hasPrefix("onChange(Inbox)@CallbackTests:") }.map(\.value) == [4])
  }

  @Test func withoutASessionChangesAreSeenAndSetsAreNot() {
    let (inbox, tally) = (Inbox(), Tally())
    let host = Host(Screen(tally: tally).environment(inbox))
    use(host, inbox)
    #expect(tally.calls == ["0 -> 1", "1 -> 2", "2 -> 4"])
    #expect(tally["Screen"] == 1)
  }

  @Test func anObjectThatIsNotRecordedIsWatchedToo() {
    let (inbox, tally) = (PlainInbox(), Tally())
    let host = Host(Changed(tally: tally).environment(inbox))
    use(host, inbox)
    #expect(tally.calls == ["0 -> 1", "1 -> 2", "2 -> 4"])
    #expect(host.bodyRuns["Changed"] == 1)
  }

  @Test(arguments: [false, true]) func anObservedObjectsPublishedSetsAreSeenEach(isRecorded: Bool) throws {
    let (inbox, tally) = (OldInbox(), Tally())
    let log = try RecordedLog { session in
      let view = OldScreen(tally: tally).environmentObject(inbox)
      let host = Host(view.recorded(by: isRecorded ? session : nil))
      #expect(tally.calls == [])
      use(host, inbox)
      #expect(tally["Screen"] == 1)
      // The hidden views run at each announcement.
      #expect(host.bodyRuns["ChangeObserver"] == 6)
      #expect(host.bodyRuns["PublishedReceiver"] == 6)
    }
    #expect(
      tally.calls == ["set 1", "0 -> 1", "set 1", "set 2", "1 -> 2", "set 3", "set 4", "2 -> 4"])
    #expect(log.evaluations.values.reduce(0, +) == (isRecorded ? 12 : 0))
  }

  struct RemoteScreen: View {
    let tally: Tally
    var body: some View {
      Text("screen").onReceive(of: \.$count, in: RemoteInbox.self) { tally.calls.append("set \($0)") }
    }
  }

  @Test func aPublishedSetOnAnotherThreadCallsTheActionOnTheMainOne() async {
    let (inbox, tally) = (RemoteInbox(), Tally())
    let host = Host(RemoteScreen(tally: tally).environmentObject(inbox))
    await Task.detached { inbox.count = 1 }.value
    await nextTurn()
    inbox.count = 2
    #expect(tally.calls == ["set 1", "set 2"])
    host.close()
  }

  // MARK: What callbacks write

  struct Follower: View {
    var body: some View {
      Text("follows")
        .onChange(of: \.count, in: Inbox.self) { [self] _, new in write("count is \(new)") }
    }
    let inbox: Inbox
    private func write(_ text: String) { inbox.text = text }
  }

  @Test func whatACallbackWritesHasTheCauseOfTheChange() throws {
    let inbox = Inbox()
    let log = try RecordedLog { session in
      session.attach(inbox, as: "inbox")
      let host = Host(Follower(inbox: inbox).environment(inbox).recorded(by: session))
      inbox.count = 7
      host.update()
      #expect(inbox.text == "count is 7")
    }
    #expect(log.causes(ofSetsOf: "inbox.text") == ["inbox.count"])
  }

  @Test func aSetInAReceiverHasTheCauseOfTheSet() throws {
    let inbox = Inbox()
    let log = try RecordedLog { session in
      session.attach(inbox, as: "inbox")
      let view = Text("receives").onReceive(of: \.count, in: Inbox.self) { inbox.text = "\($0)" }
      let host = Host(view.environment(inbox).recorded(by: session))
      inbox.count = 7
      #expect(inbox.text == "7")
      host.close()
      inbox.count = 8
      #expect(inbox.text == "7")
    }
    #expect(log.causes(ofSetsOf: "inbox.text") == ["inbox.count"])
    #expect(log.disposed == ["onReceive(inbox.count)"])
  }

  @Test func aSetOnAnotherThreadReachesTheActionOnTheMainActor() async {
    let (session, tally) = (Session(), Tally())
    nonisolated(unsafe) let inbox = MovedInbox()
    session.attach(inbox, as: "inbox")
    let view = Text("receives").onReceive(of: \.count, in: MovedInbox.self) { tally.calls.append("\($0)") }
    let host = Host(view.environment(inbox).recorded(by: session))
    await Task.detached { inbox.count = 1 }.value
    await nextTurn()
    inbox.count = 2
    #expect(tally.calls == ["1", "2"])
    host.close()
  }

  // MARK: First appearance

  struct Numbered: View {
    @State private var number = 1
    let tally: Tally
    var body: some View {
      VStack {
        Button("next") { number = 3 - number }
        Text("view \(number)").onFirstAppear { tally.calls.append("first") }.id(number)
      }
    }
  }

  @Test func aNewIdAppearsForTheFirstTime() {
    let tally = Tally()
    let host = Host(Numbered(tally: tally))
    #expect(tally.calls.count == 1)
    host.press("next")
    host.press("next")
    #expect(host.texts == ["next", "view 1"])
    #expect(tally.calls.count == 3)
  }

  struct Rows: View {
    let tally: Tally
    let store: Store
    var body: some View {
      List(store.items) { item in
        Text(item.title).onAppear { tally.count("appear \(item.id)") }
          .onDisappear { tally.count("disappear \(item.id)") }
          .onFirstAppear { tally.count("first \(item.id)") }
      }
    }
  }

  @Test func aRowThatComesBackAppearsAgainButNotForTheFirstTime() {
    let (store, tally) = (Store(count: 3), Tally())
    let host = Host(Rows(tally: tally, store: store))
    host.rowsOnScreen = 1..<3
    host.update()
    host.rowsOnScreen = 0..<3
    host.update()
    #expect(tally["appear 0"] == 2)
    #expect(tally["disappear 0"] == 1)
    #expect((tally["first 0"], tally["first 1"], tally["first 2"]) == (1, 1, 1))
    // Its state was released meanwhile.
    host.rowsOnScreen = 1..<3
    host.update()
    host.forgetHiddenRows()
    host.rowsOnScreen = 0..<3
    host.update()
    #expect(tally["first 0"] == 2)
  }
}
