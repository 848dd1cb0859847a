import Projection
import ReplayUI
import SwiftUI
import Testing

/// The program of the README's section on SwiftUI.
@MainActor @Suite struct ReadmeTests {
  struct ContentView: View {
    let items: [Item]
    var body: some View {
      Header()
      ForEach(items) { Row(item: $0) }
    }
  }

  struct Header: View {
    var body: some View {
      VStack {
        ScopeView(Inbox.self) { inbox, _ in Button("\(inbox.count)") { inbox.count += 1 } }
        ScopeView(Inbox.self) { _, projected in TextField("Text", text: projected.text) }
      }
      .onChange(of: \.count, in: Inbox.self) { old, new in print("\(old) -> \(new)") }
      .onFirstAppear { print("shown") }
    }
  }

  struct Row: View {
    let item: Item
    var body: some View {
      recorded(id: item.id) { Text(item.title) }
    }
  }

  /// Handlers of SwiftUI's buttons, with bodies of one statement and of several.
  struct Controls: View {
    let session: Session
    @Environment(Inbox.self) private var inbox
    var body: some View {
      Button("Add", action: session.handler("Add") { inbox.count += 1 })
      Button(
        "Twice",
        action: session.handler("Twice") {
          inbox.count += 1
          inbox.count += 1
        })
      Button(
        action: session.handler("Later") {
          await Task.yield()
          inbox.text = "later"
        }
      ) { Text("Later") }
      Button("In place") { session.action("In place") { inbox.count += 1 } }
    }
  }

  @Test func buttonsAreHandledAsActions() async throws {
    let inbox = Inbox()
    let session = Session()
    session.attach(inbox, as: "inbox")
    let host = Host(Controls(session: session).environment(inbox).recorded(by: session))
    for title in ["Add", "Twice", "Later", "In place"] { host.press(title) }
    while inbox.text != "later" { await Task.yield() }
    #expect(inbox.count == 4)
  }

  @Test func theHeaderRunsOnceAndTheScopeForEachPress() throws {
    let (inbox, item) = (Inbox(), Item(id: 7, title: "Item"))
    let log = try RecordedLog { session in
      session.attach(inbox, as: "inbox")
      session.attach(item, as: "item")
      let view = ContentView(items: [item]).environment(inbox).recorded(by: session)
      let host = Host(view)
      host.press("0")
      item.title = "Title"
      host.update()
      #expect(host.texts == ["1", "Title"])
      #expect(host.bodyRuns["Header"] == 1)
      #expect(host.bodyRuns["Row"] == 1)
    }
    #expect(log.evaluations["Row#7"] == 2)
    #expect(log.evaluations.values.sorted() == [1, 2, 2, 2])
  }
}
