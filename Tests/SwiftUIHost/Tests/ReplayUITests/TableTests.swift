import Projection
import ReplayUI
import SwiftUI
import Testing

/// The two tables of the views that run again: for direct readers of an object, and for readers in a scope.
@MainActor @Suite struct TableTests {
  /// Reads both properties in its own body.
  struct Direct: View {
    @Environment(Inbox.self) private var inbox
    var body: some View {
      @Bindable var inbox = inbox
      VStack {
        Button("\(inbox.count)") { inbox.count += 1 }
        TextField("Text", text: $inbox.text)
      }
    }
  }

  struct DirectOld: View {
    @EnvironmentObject private var inbox: OldInbox
    var body: some View { Text(inbox.text) }
  }

  struct Scoped: View {
    let tally: Tally
    var body: some View {
      VStack {
        ScopeView(Inbox.self, name: "Count") { inbox, _ in
          let _ = tally.count("Count")
          Button("Tap \(inbox.count)") { inbox.count += 1 }
        }
        ScopeView(Inbox.self, name: "Field") { _, projected in
          let _ = tally.count("Field")
          TextField("Text", text: projected.text)
        }
      }
    }
  }

  struct ScopedPlain: View {
    let tally: Tally
    var body: some View {
      VStack {
        ScopeView(PlainInbox.self, name: "Count") { inbox, _ in
          let _ = tally.count("Count")
          Button("Tap \(inbox.count)") { inbox.count += 1 }
        }
        ScopeView(PlainInbox.self, name: "Field") { _, projected in
          let _ = tally.count("Field")
          TextField("Text", text: projected.text)
        }
      }
    }
  }

  struct ScopedOld: View {
    let tally: Tally
    var body: some View {
      VStack {
        ScopeView(OldInbox.self, name: "Count") { inbox, _ in
          let _ = tally.count("Count")
          Button("Tap \(inbox.count)") { inbox.count += 1 }
        }
        ScopeView(OldInbox.self, name: "Field") { _, projected in
          let _ = tally.count("Field")
          TextField("Text", text: projected.text)
        }
      }
    }
  }

  /// Two presses, one text, and two sets that change nothing.
  private func use(_ host: Host, _ inbox: some AnyInbox) {
    host.press("Tap 0")
    host.press("Tap 1")
    host.type("hello", into: "Text")
    inbox.count = 2
    host.update()
    inbox.text = "hello"
    host.update()
    #expect(host.texts == ["Tap 2"])
  }

  @Test func anObservableObjectReadDirectlyRunsTheViewAtEachChangeOfWhatItReads() {
    let inbox = Inbox()
    let host = Host(Direct().environment(inbox))
    host.press("0")
    host.type("a", into: "Text")
    #expect(host.bodyRuns == ["Direct": 3])
    inbox.count = 1
    host.update()
    #expect(host.bodyRuns == ["Direct": 3])
    #expect(host.texts == ["1"])
  }

  @Test func anObservedObjectReadDirectlyRunsTheViewAtEachAnnouncement() {
    let inbox = OldInbox()
    let host = Host(DirectOld().environmentObject(inbox))
    inbox.count += 1
    host.update()
    inbox.count = 1
    host.update()
    inbox.text = "a"
    host.update()
    #expect(host.bodyRuns == ["DirectOld": 4])
  }

  @Test(arguments: [false, true]) func aScopeOfARecordedObjectRunsForWhatItReads(isRecorded: Bool) throws {
    let (inbox, tally) = (Inbox(), Tally())
    let log = try RecordedLog { session in
      session.attach(inbox, as: "inbox")
      let view = Scoped(tally: tally).environment(inbox)
      let host = Host(view.recorded(by: isRecorded ? session : nil))
      use(host, inbox)
      #expect(host.bodyRuns["Scoped"] == 1)
      #expect(host.bodyRuns["ScopeView"] == 5)
    }
    #expect(tally.counts == ["Count": 3, "Field": 2])
    #expect(log.evaluations == (isRecorded ? tally.counts : [:]))
    if !isRecorded { return }
    #expect(log.causes(of: "Count") == ["-", "inbox.count", "inbox.count"])
    #expect(log.causes(of: "Field") == ["-", "inbox.text"])
    #expect(log.inputs == ["Count": [nil, false, false], "Field": [nil, false]])
  }

  @Test(arguments: [false, true]) func aScopeOfAnObjectThatIsNotRecordedRunsTheSame(isRecorded: Bool) throws {
    let (inbox, tally) = (PlainInbox(), Tally())
    let log = try RecordedLog { session in
      let view = ScopedPlain(tally: tally).environment(inbox)
      let host = Host(view.recorded(by: isRecorded ? session : nil))
      use(host, inbox)
      #expect(host.bodyRuns["ScopedPlain"] == 1)
    }
    #expect(tally.counts == ["Count": 3, "Field": 2])
    #expect(log.evaluations == (isRecorded ? tally.counts : [:]))
  }

  @Test(arguments: [false, true]) func aScopeOfAnObservedObjectRunsAtEachAnnouncement(isRecorded: Bool) throws
  {
    let (inbox, tally) = (OldInbox(), Tally())
    let log = try RecordedLog { session in
      let view = ScopedOld(tally: tally).environmentObject(inbox)
      let host = Host(view.recorded(by: isRecorded ? session : nil))
      use(host, inbox)
      #expect(host.bodyRuns["ScopedOld"] == 1)
    }
    #expect(tally.counts == ["Count": 6, "Field": 6])
    #expect(log.evaluations == (isRecorded ? tally.counts : [:]))
    if !isRecorded { return }
    // For such an object the log has no sets, only that it announced changes.
    let announced = Array(repeating: "announced_OldInbox.objectWillChange", count: 5)
    #expect(log.causes(of: "Count") == ["-"] + announced)
    #expect(log.causes(of: "Field") == ["-"] + announced)
    #expect(log.invalidations == ["Count": 5, "Field": 5])
  }
}
