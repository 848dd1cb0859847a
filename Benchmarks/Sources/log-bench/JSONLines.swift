/// The lines of an event log's text form, formatted by hand, which is the fastest way to write JSON.
struct JSONLines {
  /// `app.rows[17].count`.
  static let paths = (0..<Workload.pathCount).map { "app.rows[\($0)].count" }
  private static let pathBytes = paths.map { Array($0.utf8) }
  private static let parts = [
    "{\"seq\":", ",\"time_ns\":", ",\"kind\":\"set\",\"path\":\"", "\",\"value\":", "}\n",
  ].map { Array($0.utf8) }

  private(set) var bytes: [UInt8] = []
  private var seq: Int64 = 0

  mutating func append(_ step: Workload.Step) {
    seq += 1
    bytes += Self.parts[0]
    append(seq)
    bytes += Self.parts[1]
    append(Int64(step.time))
    bytes += Self.parts[2]
    bytes += Self.pathBytes[step.path]
    bytes += Self.parts[3]
    append(step.value)
    bytes += Self.parts[4]
  }

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  private mutating func append(_ number: Int64) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    let start = bytes.count
    var rest = number.magnitude
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }
}
