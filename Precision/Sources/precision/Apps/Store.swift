import Projection

/// An element of a list.
struct Item: Identifiable, Equatable {
  let id: Int
  var caption: String
  var amount: Int
}

/// An element of a list that is an object, each of whose properties is followed by itself.
@Recorded final class Entry: Identifiable {
  let id: Int
  var caption: String
  var amount: Int

  init(_ item: Item) {
    id = item.id
    caption = item.caption
    amount = item.amount
  }
}

/// A value without `==`, so every set of it counts as a change.
struct Look {
  var tint: String
  var weight: Int
}

/// What a part of an app may need of its model.
enum Role: String, CaseIterable {
  case rows, plain, entries, fast, query, selection, title, isShown, first, second, third, look, status, tally
  case trigger, offset
}

/// The model of a part. Each domain has names of its own for these properties, and the log has those.
protocol Store: RecordedObject {
  init()
  static var words: [Role: String] { get }

  var rows: RecordedArray<Item> { get set }
  var plain: [Item] { get set }
  var entries: RecordedArray<Entry> { get set }
  /// What changes many times a second.
  var fast: Double { get set }
  var query: String { get set }
  var selection: Int { get set }
  var title: String { get set }
  var isShown: Bool { get set }
  var first: Int { get set }
  var second: Int { get set }
  var third: Int { get set }
  var look: Look { get set }
  var status: String { get set }
  var tally: Int { get set }
  /// What an event sets whose writes come from a callback.
  var trigger: Int { get set }
  var offset: Int { get set }
}
