import EventLog
import Foundation
import Projection
import Testing

/// The events of a session with one object, in order; the session has to end without a diagnostic.
func events<Object: RecordedObject>(of object: Object, _ body: (Session) throws -> Void) throws -> [Event] {
  let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
  defer { try? FileManager.default.removeItem(at: url) }
  let session = try Session(recordingTo: url)
  session.attach(object, as: "row")
  try body(session)
  #expect(session.diagnostics == [])
  try closeAndCheck(session, url)
  var events: [Event] = []
  try LogReader(path: url.path).forEachEvent { events.append($0) }
  return Array(events.dropFirst())
}

/// The labels of the marks in a log, in order.
func labelsOfMarks(in log: URL) throws -> [String] {
  var labels: [String] = []
  try LogReader(path: log.path).forEachEvent { if case .mark(let label) = $0.body { labels.append(label) } }
  return labels
}

extension [Event] {
  /// The mutations, each as its path, `=` for a same-value set and what was set.
  var mutations: [String] {
    compactMap { event in
      switch event.body {
      case .set(let path, let value, let isSame): "\(path) \(isSame ? "=" : "<-") \(value.json)"
      case .splice(let path, let offset, let delete, let insert, let isSame):
        "\(path) \(isSame ? "=" : "<-") \(offset),\(delete),\(insert.json)"
      case .remove(let path, let isSame): "\(path) \(isSame ? "=" : "<-") removed"
      default: nil
      }
    }
  }
}

final class Unequal { var content = 1 }

final class EqualByContent: Equatable {
  var content: Int
  init(_ content: Int) { self.content = content }
  static func == (a: EqualByContent, b: EqualByContent) -> Bool { a.content == b.content }
}

struct NotEquatable { var part = 1 }

@Recorded final class Rows {
  @RecordedIgnored var observed: [String] = []
  var number = 1 {
    willSet { observed.append("will \(newValue)") }
    didSet { observed.append("did \(oldValue)") }
  }
  var plain = 1
  var text = "text"
  var double = 1.0
  var list = [1, 2]
  var unequal = Unequal()
  var equal = EqualByContent(1)
  var optional: EqualByContent?
  weak var weakly: Unequal?
  var part = NotEquatable()
  var array: RecordedArray<Int> = [1, 2, 3]
  var byKey: RecordedDictionary<String, Int> = ["a": 1]
  var action: () -> Void = {}
  var child: Rows?
}

@Recorded final class GenericRow<T> {
  var value: T
  init(_ value: T) { self.value = value }
}
