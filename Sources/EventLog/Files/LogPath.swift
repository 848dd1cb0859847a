/// The path of a log, and the names derived from it. Names are compared and divided by bytes, since a combining
/// accent after a slash or a dot belongs to the name that follows.
package struct LogPath: Hashable, Sendable {
  private static let slash = UInt8(ascii: "/")
  private static let dot = UInt8(ascii: ".")

  /// The whole path.
  package let path: String

  package init(_ path: String) { self.path = path }

  /// The directory; `.` for a name without one.
  package var directory: String {
    guard let slash = path.utf8.lastIndex(of: Self.slash) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The name without its directory.
  package var name: String {
    path.utf8.lastIndex(of: Self.slash).map { String(path[path.utf8.index(after: $0)...]) } ?? path
  }

  /// The same path with a part inserted before the extension: `run.evlog` and `recovered` give
  /// `run.recovered.evlog`.
  package func inserting(_ part: String) -> String {
    let (stem, ending) = split
    return "\(stem).\(part)\(ending)"
  }

  /// The path of a segment's file, numbered from 1: `run.evlog`, `run.0002.evlog`, `run.0003.evlog`.
  package func segment(_ number: Int) -> String {
    number == 1 ? path : inserting(number.padded(to: 4))
  }

  /// The number of this log's segment with the given file name (without directory), or nil.
  package func segmentNumber(ofName candidate: String) -> Int? {
    if candidate.hasSameBytes(as: name) { return 1 }
    let (stem, ending) = LogPath(name).split
    guard candidate.utf8.starts(with: (stem + ".").utf8),
      candidate.utf8.count > stem.utf8.count + ending.utf8.count + 1
    else { return nil }
    let digits = candidate.utf8.dropFirst(stem.utf8.count + 1).dropLast(ending.utf8.count)
    // The limit is far above the numbers that a writer uses, and leaves room to count up.
    guard let number = Int(String(decoding: digits, as: UTF8.self)), number > 1, number < Int(Int32.max),
      LogPath(LogPath(name).segment(number)).name.hasSameBytes(as: candidate)
    else { return nil }
    return number
  }

  /// The log that may have a further file with this name: `run.evlog` for `run.0002.evlog`; nil for other
  /// names.
  package var logOfSegment: LogPath? { logsOfSegment.first }

  /// The logs that may have a further file with this name: both `a.0003` and `a.0002` may have `a.0002.0003`.
  var logsOfSegment: [LogPath] {
    let (stem, ending) = split
    // In a name without an extension, the number looks like one.
    return [LogPath(LogPath(stem).split.stem + ending), LogPath(stem)].filter {
      ($0.segmentNumber(ofName: name) ?? 1) > 1
    }
  }

  private var split: (stem: String, ending: String) {
    let start = path.utf8.lastIndex(of: Self.slash).map { path.utf8.index(after: $0) } ?? path.startIndex
    // A leading dot marks a hidden file and begins no extension.
    guard let dot = path.utf8[start...].lastIndex(of: Self.dot), dot > start else { return (path, "") }
    return (String(path[..<dot]), String(path[dot...]))
  }
}
