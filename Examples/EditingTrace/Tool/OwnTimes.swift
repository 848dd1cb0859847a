import EventLog
import Foundation

extension Trace {
  /// Writes the log that a session would have recorded when the trace was made: the same events, at its own times.
  ///
  /// - Parameter stops: The numbers of patches after which the text is passed to `visit`.
  func record(
    to path: String, stoppingAfter stops: [Int], _ visit: (_ patches: Int, _ text: String) -> Void
  ) throws -> String {
    var options = LogOptions.replacingExisting
    options.program = "editing-trace"
    // The clock cuts no block: the size of the log must not depend on the speed of this run.
    options.flushInterval = .seconds(3600)
    let writer = try LogWriter(creating: path, options: options)
    let document = Path(root: .named("document"))
    let object = ObjectDefinition(id: ObjectID(1), type: "Document", fields: ["text": .string(startContent)])
    try writer.append(.set(document, .object(object), sameValue: false), time: 0)
    var text = startContent
    var done = 0
    let stops = Set(stops)
    if stops.contains(0) { visit(0, text) }
    for transaction in txns {
      let time = transaction.nanoseconds
      for patch in transaction.patches {
        let before = text
        try text.apply(patch)
        try writer.append(
          .splice(
            document.appending(.property("text")), offset: patch.offset, delete: patch.deleted,
            insert: .string(patch.inserted), sameValue: before == text), time: time)
        done += 1
        if stops.contains(done) { visit(done, text) }
      }
    }
    try writer.close()
    return text
  }
}

extension Trace.Transaction {
  /// When it was made, in nanoseconds since 1970; 0 in traces without times.
  fileprivate var nanoseconds: UInt64 {
    guard let time,
      let date = try? Date(
        time, strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
    else { return 0 }
    return UInt64(max(0, (date.timeIntervalSince1970 * 1000).rounded())) * 1_000_000
  }
}
