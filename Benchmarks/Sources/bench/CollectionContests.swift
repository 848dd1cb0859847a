import BenchSupport
import Foundation
import Projection

extension Contest {
  /// Typing in a text of 100 KB, kept as one string.
  static func typingInString(_ operations: Int) -> Contest {
    let bytes = LogSize()
    let keys = Keystrokes(count: operations)
    return Contest(
      title: "type in a String property of 100 KB", operations: operations,
      contenders: [
        Contender(name: "@Observable, unrecorded") { _ in
          let note = ObservableNote()
          note.text = keys.text
          return { keys.forEach { note.text.type($0) } }
        },
        Contender(name: "comparing the text with itself twice, no more") { count in
          // Several equal texts, and a count of the results, so that the optimizer cannot share or drop comparisons.
          let texts = (0..<4).map { _ in String(decoding: Array(keys.text.utf8), as: UTF8.self) }
          return {
            var equal = 0
            for number in 0..<2 * count where texts[number & 3] == texts[(number + 1) & 3] { equal += 1 }
            precondition(equal == 2 * count)
          }
        },
        Contender(name: "@Recorded, session that records nothing") { _ in
          let session = Session()
          let note = RecordedNote()
          note.text = keys.text
          session.attach(note, as: "note")
          return {
            keys.forEach { note.text.type($0) }
            consume(session)
          }
        },
        Contender(name: "@Recorded, recorded to a file", note: { bytes.text }) { count in
          let recording = try RecordingSession()
          let note = RecordedNote()
          note.text = keys.text
          recording.session.attach(note, as: "note")
          return {
            keys.forEach { note.text.type($0) }
            try bytes.note(recording, count)
          }
        },
      ])
  }

  /// Typing in a text of 100 KB, kept as lines.
  static func typingInLines(_ operations: Int) -> Contest {
    let bytes = LogSize()
    let keys = Keystrokes(count: operations)
    return Contest(
      title: "type in a text of 100 KB kept as lines", operations: operations,
      contenders: [
        Contender(name: "@Observable, [String], unrecorded") { _ in
          let note = ObservableNote()
          note.lines = keys.lines
          return { keys.forEach { note.lines.type($0) } }
        },
        Contender(name: "@Recorded, session that records nothing") { _ in
          let session = Session()
          let note = RecordedNote()
          note.lines = RecordedArray(keys.lines)
          session.attach(note, as: "note")
          return {
            keys.forEach { note.lines.type($0) }
            consume(session)
          }
        },
        Contender(name: "@Recorded, recorded to a file", note: { bytes.text }) { count in
          let recording = try RecordingSession()
          let note = RecordedNote()
          note.lines = RecordedArray(keys.lines)
          recording.session.attach(note, as: "note")
          return {
            keys.forEach { note.lines.type($0) }
            try bytes.note(recording, count)
          }
        },
      ])
  }

  /// Creating a list: a projection for each of its rows. An operation is one row, so its time should not
  /// depend on the number of rows.
  static func mount(byID: Bool) -> Contest {
    Contest(
      title: "put up 20,000 rows in all, a projection reads each \(byID ? "by id" : "by index")",
      operations: 20_000,
      contenders: [1_000, 5_000, 20_000].map { rows in
        Contender(name: "lists of \(rows) rows, recorded to a file") { count in
          { for _ in 0..<count / rows { consume(try BumpedRows(rows, byID: byID)) } }
        }
      })
  }

  /// Bumping one of a growing number of elements, each of which one projection reads.
  static func bump(_ operations: Int, byID: Bool) -> Contest {
    Contest(
      title: "bump one of N rows, a projection reads each \(byID ? "by id" : "by index")",
      operations: operations,
      contenders: [1_000, 10_000, 100_000, 1_000_000].map { rows in
        let prepared = Prepared {
          let rows = try BumpedRows(rows, byID: byID)
          rows.bumpEach()
          return rows
        }
        return Contender(name: "\(rows) rows, recorded to a file") { count in
          let bumped = try prepared.value()
          return { bumped.bump(count) }
        }
      })
  }
}

/// A value that is made once, for all rounds.
private final class Prepared<Value> {
  private let make: () throws -> Value
  private var made: Value?

  init(_ make: @escaping () throws -> Value) { self.make = make }

  func value() throws -> Value {
    if let made { return made }
    let value = try make()
    made = value
    return value
  }
}

/// A store of rows with a projection for each.
private final class BumpedRows {
  private let recording: RecordingSession
  private let store = RecordedStore()
  private let byID: Bool
  private let count: Int
  private var runs = 0
  private var next = 0

  init(_ count: Int, byID: Bool) throws {
    self.count = count
    self.byID = byID
    recording = try RecordingSession()
    store.rows = RecordedArray(Row.seed(count))
    recording.session.attach(store, as: "store")
    for index in 0..<count {
      recording.session.projection("Row") { [unowned self] _ in
        consume(byID ? store.rows[id: index].count : store.rows[index].count)
        runs += 1
      }
    }
  }

  /// The first bump of a row defines its path in the log.
  func bumpEach() {
    for index in 0..<count { store.rows[index].count += 1 }
  }

  func bump(_ times: Int) {
    let before = runs
    for _ in 0..<times {
      // Far apart, so that with many rows every bump accesses cold memory.
      next = (next + 7_919) % count
      if byID { store.rows[id: next].count += 1 } else { store.rows[next].count += 1 }
    }
    precondition(runs == before + times)
  }
}
