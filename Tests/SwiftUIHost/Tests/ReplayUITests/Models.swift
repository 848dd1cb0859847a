import OpenCombine
import Projection

// The same model in each of the forms that an app may use.

/// Recorded.
@Recorded @MainActor final class Inbox {
  var text = ""
  var count = 0
}

/// Observable, and attached to no session.
@Observable @MainActor final class PlainInbox {
  var text = ""
  var count = 0
}

/// An `ObservableObject`, as before observation.
@MainActor final class OldInbox: ObservableObject {
  @Published var text = ""
  @Published var count = 0
}

/// Set on any thread; it announces nothing.
final class RemoteInbox: ObservableObject, @unchecked Sendable {
  let objectWillChange = PassthroughSubject<Void, Never>()
  @Published var count = 0
}

/// Recorded, and announced by hand to views that still follow the object.
@Recorded final class MovedInbox: ObservableObject {
  @RecordedIgnored let objectWillChange = ObservableObjectPublisher()
  var text = "" { willSet { objectWillChange.send() } }
  var count = 0 { willSet { objectWillChange.send() } }
}

/// The operations that the tests use on any of them.
@MainActor protocol AnyInbox: AnyObject {
  var text: String { get set }
  var count: Int { get set }
}

extension Inbox: AnyInbox {}
extension PlainInbox: AnyInbox {}
extension OldInbox: AnyInbox {}
extension MovedInbox: @MainActor AnyInbox {}

@Recorded final class Item: Identifiable {
  let id: Int
  var title: String
  var isDone = false

  init(id: Int, title: String) { (self.id, self.title) = (id, title) }
}

@Recorded final class Store {
  var items: RecordedArray<Item> = []
  var note = ""

  init(count: Int) { items = RecordedArray((0..<count).map { Item(id: $0, title: "Item \($0)") }) }
}

/// Counts runs independently, for comparison with logs.
@MainActor final class Tally {
  private(set) var counts: [String: Int] = [:]
  /// The arguments of callbacks.
  var calls: [String] = []

  func count(_ name: String) { counts[name, default: 0] += 1 }

  subscript(name: String) -> Int { counts[name, default: 0] }
}
