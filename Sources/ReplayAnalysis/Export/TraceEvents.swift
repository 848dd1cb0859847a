import EventLog

/// Events of the Chrome trace format, one line of JSON each. Times are microseconds to the nanosecond.
struct TraceEvents {
  /// What was made and not taken yet.
  private(set) var text: [UInt8] = []
  private var isFirst = true

  /// Takes what was made.
  mutating func take() -> [UInt8] {
    defer { text.removeAll(keepingCapacity: true) }
    return text
  }

  /// The process or thread of a track gets its name.
  mutating func name(_ kind: String, _ track: TraceTrack, _ name: String) {
    begin("M", track)
    field("name", kind)
    append(#","args":{"name":"#)
    text.appendQuoted(name)
    append("}}")
  }

  /// The group of a track is drawn below those of lower numbers: viewers order groups without one as they like.
  mutating func order(_ track: TraceTrack) {
    begin("M", track)
    field("name", "process_sort_index")
    append(#","args":{"sort_index":\#(track.process)}}"#)
  }

  mutating func slice(
    _ kind: String, _ name: String, _ track: TraceTrack, from start: UInt64, to end: UInt64, _ seq: UInt64,
    _ arguments: [(String, Value)] = []
  ) {
    begin("X", track)
    time("ts", start)
    time("dur", end - start)
    append(#","cat":"\#(kind)""#)
    field("name", name)
    append(#","args":{"seq":\#(seq)"#)
    for (name, value) in arguments {
      append(#","\#(name)":"#)
      text.appendValue(value)
    }
    append("}}")
  }

  /// One end of an arrow.
  mutating func flow(_ phase: String, _ id: UInt64, _ track: TraceTrack, at moment: UInt64) {
    begin(phase, track)
    time("ts", moment)
    append(#","id":\#(id),"cat":"cause","name":"cause""#)
    if phase == "f" { append(#","bp":"e""#) }
    append("}")
  }

  mutating func instant(_ name: String, at moment: UInt64, _ seq: UInt64) {
    begin("i", .marks)
    time("ts", moment)
    field("name", name)
    append(#","s":"t","args":{"seq":\#(seq)}}"#)
  }

  mutating func counter(_ name: String, at moment: UInt64, _ value: UInt64) {
    begin("C", .marks)
    time("ts", moment)
    field("name", name)
    append(#","args":{"per second":\#(value)}}"#)
  }

  private mutating func begin(_ phase: String, _ track: TraceTrack) {
    append(isFirst ? "\n" : ",\n")
    isFirst = false
    append(#"{"ph":"\#(phase)","pid":\#(track.process),"tid":\#(track.thread)"#)
  }

  private mutating func field(_ name: String, _ value: String) {
    append(#","\#(name)":"#)
    text.appendQuoted(value)
  }

  private mutating func time(_ name: String, _ nanoseconds: UInt64) {
    let rest = String(nanoseconds % 1000)
    append(#","\#(name)":\#(nanoseconds / 1000).\#(String(repeating: "0", count: 3 - rest.count))\#(rest)"#)
  }

  private mutating func append(_ string: String) { text.append(contentsOf: string.utf8) }
}

/// Where a slice is drawn: a thread of a process, as the format calls them. A process is a group of tracks. No two
/// threads have one number, and none has 0, which readers take for the idle thread, or that of its process, which they
/// take for its main thread.
struct TraceTrack: Hashable {
  var process: Int
  var thread: Int

  static let marks = TraceTrack(process: 1, thread: 2)
  static let transactions = TraceTrack(process: 1, thread: 3)
}
