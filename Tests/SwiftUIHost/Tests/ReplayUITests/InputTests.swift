import Projection
import SwiftUI
import Testing

@testable import ReplayUI

/// Whether what a view is handed in differs from the last time.
@MainActor @Suite struct InputTests {
  struct Row: View {
    let number: Int
    var name = ""
    var inbox: PlainInbox?
    @State private var isOpen = false
    @Environment(Inbox.self) private var model
    var body: some View { Text(name) }
  }

  struct ButtonRow: View {
    let number: Int
    let action: () -> Void
    var body: some View { Text("\(number)") }
  }

  /// Equal to all others, which takes a read of its count.
  @MainActor final class Twin: Equatable {
    let inbox = PlainInbox()
    nonisolated static func == (a: Twin, b: Twin) -> Bool {
      MainActor.assumeIsolated { a.inbox.count == b.inbox.count }
    }
  }

  struct TwinRow: View {
    let twin: Twin
    var body: some View { Text("twin") }
  }

  @Test func fieldsAreComparedAndStateIsNot() {
    #expect(areDifferent(Row(number: 1), Row(number: 1)) == false)
    #expect(areDifferent(Row(number: 1), Row(number: 2)) == true)
    #expect(areDifferent(Row(number: 1, name: "a"), Row(number: 1, name: "b")) == true)
  }

  @Test func objectsAreTheSameIfTheyAreOne() {
    let (first, second) = (PlainInbox(), PlainInbox())
    #expect(areDifferent(Row(number: 1, inbox: first), Row(number: 1, inbox: first)) == false)
    #expect(areDifferent(Row(number: 1, inbox: first), Row(number: 1, inbox: second)) == true)
    #expect(areDifferent(Row(number: 1, inbox: first), Row(number: 1)) == true)
  }

  @Test func aClosureCannotBeComparedButTheRestCan() {
    #expect(areDifferent(ButtonRow(number: 1) {}, ButtonRow(number: 1) {}) == nil)
    #expect(areDifferent(ButtonRow(number: 1) {}, ButtonRow(number: 2) {}) == true)
  }

  @Test func theEqualityOfAnObjectIsNotAsked() {
    let (first, second) = (TwinRow(twin: Twin()), TwinRow(twin: Twin()))
    #expect(first.twin == second.twin)
    nonisolated(unsafe) var isRead = false
    let differs = withObservationTracking {
      areDifferent(first, second)
    } onChange: {
      isRead = true
    }
    first.twin.inbox.count = 1
    #expect(differs == true)
    #expect(!isRead)
  }

  @Test func theFirstTimeThereIsNothingToCompareWith() {
    #expect(areDifferent(nil, Row(number: 1)) == nil)
    #expect(areDifferent(Row(number: 1), nil) == nil)
  }
}
