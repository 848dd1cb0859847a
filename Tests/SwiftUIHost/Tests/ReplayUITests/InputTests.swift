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

  struct Compared: View, Equatable {
    let number: Int
    let action: () -> Void
    var body: some View { Text("\(number)") }
    nonisolated static func == (a: Compared, b: Compared) -> Bool { a.number == b.number }
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
    #expect(areDifferent(Compared(number: 1) {}, Compared(number: 1) {}) == false)
  }

  @Test func theFirstTimeThereIsNothingToCompareWith() {
    #expect(areDifferent(nil, Row(number: 1)) == nil)
    #expect(areDifferent(Row(number: 1), nil) == nil)
  }
}
