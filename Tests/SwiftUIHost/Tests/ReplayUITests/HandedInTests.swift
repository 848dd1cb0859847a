import Projection
import ReplayUI
import SwiftUI
import Testing

/// Whether the input of a view differed, compared with the host's own comparison.
@MainActor @Suite struct HandedInTests {
  /// Passes a constant to one child, and a value that it has read to another.
  struct Parent: View {
    @Environment(Inbox.self) private var inbox
    var body: some View {
      recorded("Parent") {
        VStack {
          Child(name: "Same", count: 7)
          Child(name: "Other", count: inbox.count)
        }
      }
    }
  }

  struct Child: View {
    let name: String
    let count: Int
    @Environment(Inbox.self) private var inbox
    @State private var presses = 0
    var body: some View {
      recorded(name) { Button("\(name) \(count) \(presses) \(inbox.text)") { presses += 1 } }
    }
  }

  @Test func aViewThatRunsForItsOwnReadsOrStateIsHandedTheSame() throws {
    let inbox = Inbox()
    let log = try RecordedLog { session in
      session.attach(inbox, as: "inbox")
      let host = Host(Parent().environment(inbox).recorded(by: session))
      inbox.text = "a"
      host.update()
      host.press("Same 7 0 a")
      inbox.count = 1
      host.update()
      session.transaction {
        inbox.count = 2
        inbox.text = "b"
      }
      host.update()
      #expect(host.texts == ["Same 7 1 b", "Other 2 0 b"])
      #expect(host.handedIn["Child"] == [.first: 2, .different: 2, .same: 1])
    }
    #expect(
      log.inputs == [
        "Parent": [nil, false, false], "Same": [nil, false, false, false], "Other": [nil, false, true, true],
      ])
  }

  /// Inputs that a view may get.
  struct Style {
    var name: String
    var size: (Int, Double?)
  }

  struct Styled<Content>: View {
    let style: Style
    let content: Content
    let note: String?
    var body: some View { recorded("Styled") { Text(style.name) } }
  }

  private func inputs<Given>(_ given: [Given], show: @escaping (Given) -> some View) throws -> [Bool?] {
    let model = Model(given)
    let log = try RecordedLog { session in
      let host = Host(Screen(model: model, show: show).recorded(by: session))
      for position in given.indices.dropFirst() {
        model.position = position
        host.update()
      }
    }
    return log.inputs["Styled"] ?? []
  }

  @Observable @MainActor final class Model<Given> {
    let given: [Given]
    var position = 0

    init(_ given: [Given]) { self.given = given }
  }

  struct Screen<Given, Shown: View>: View {
    let model: Model<Given>
    let show: (Given) -> Shown
    var body: some View { show(model.given[model.position]) }
  }

  @Test func valuesAreComparedByTheirPartsAndObjectsByWhichTheyAre() throws {
    let (a, b) = (OldInbox(), OldInbox())
    let style = Style(name: "a", size: (1, nil))
    func run(_ styles: [Style]) throws -> [Bool?] {
      try inputs(styles) { Styled(style: $0, content: a, note: nil) }
    }
    #expect(try run([style, Style(name: "b", size: (1, nil))]) == [nil, true])
    #expect(try run([style, Style(name: "a", size: (1, 2))]) == [nil, true])
    #expect(try inputs([a, b]) { Styled(style: style, content: $0, note: nil) } == [nil, true])
    #expect(try inputs(["x", nil]) { Styled(style: style, content: a, note: $0) } == [nil, true])
  }

  @Test func closuresAreNotComparedButWhatIsBesideThemIs() throws {
    var calls = 0
    let style = Style(name: "a", size: (1, nil))
    let other = Style(name: "b", size: (1, nil))
    #expect(
      try inputs([style, style, other, other]) { given in
        Styled(style: given, content: { calls += given.size.0 }, note: nil)
      } == [nil, nil, true, nil])
    #expect(calls == 0)
  }

  struct Field: View {
    @Binding var text: String
    var body: some View { recorded("Styled") { TextField("Text", text: $text) } }
  }

  struct Observer: View {
    @ObservedObject var inbox: OldInbox
    let number: Int
    var body: some View { recorded("Styled") { Text("\(inbox.count) \(number)") } }
  }

  @Test func bindingsAreNotComparedAndObservedObjectsAre() throws {
    let (a, b) = (OldInbox(), OldInbox())
    #expect(
      try inputs(["x", "y"]) { given in Field(text: Binding(get: { given }, set: { _ in })) } == [nil, nil])
    #expect(
      try inputs([(a, 1), (a, 2), (b, 2)]) { Observer(inbox: $0.0, number: $0.1) } == [nil, true, true])
    let log = try RecordedLog { session in
      let host = Host(Observer(inbox: a, number: 1).recorded(by: session))
      a.count += 1
      host.update()
    }
    #expect(log.inputs == ["Styled": [nil, false]])
  }

  @Test func aViewUnderAnotherNameStartsAnew() throws {
    struct Named: View {
      let id: Int
      var body: some View { recorded("Row", id: id) { Text("\(id)") } }
    }
    let log = try RecordedLog { session in
      let model = Model([1, 2])
      let host = Host(Screen(model: model) { Named(id: $0) }.recorded(by: session))
      model.position = 1
      host.update()
    }
    #expect(log.inputs == ["Row#1": [nil], "Row#2": [nil]])
  }
}
