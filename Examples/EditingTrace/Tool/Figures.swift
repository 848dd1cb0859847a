import EventLog
import Foundation

/// What a recording cost, as text.
struct Figures: CustomStringConvertible {
  var edits: Int
  var passes: [Pass]
  var log: LogReader

  var description: String {
    var lines = [
      "\(edits) edits, \(log.eventCount) events, \(log.byteCount) bytes: "
        + "\(format(Double(log.byteCount) / Double(max(edits, 1)), digits: 3)) bytes an edit"
    ]
    if passes.isEmpty { return lines[0] }
    lines += ["", "nanoseconds an edit, in all and more than the line before:"]
    var last: Double?
    for pass in passes {
      let time = pass.duration / .nanoseconds(1) / Double(max(edits, 1))
      let more = last.map { "  \($0 <= time ? "+" : "")\(format(time - $0, digits: 0))" } ?? ""
      lines.append("\(padded(format(time, digits: 0)))  \(pass.name)\(more)")
      last = time
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func padded(_ number: String) -> String {
    String(repeating: " ", count: max(0, 8 - number.count)) + number
  }

  private func format(_ number: Double, digits: Int) -> String {
    number.formatted(.number.precision(.fractionLength(digits)).grouping(.never))
  }
}
