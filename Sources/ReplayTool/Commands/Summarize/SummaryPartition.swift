import EventLog
import ReplayAnalysis

/// The sessions of one day and version of an app: in each table a folder of its own.
struct SummaryPartition: Hashable, Comparable {
  let day: String?
  let version: String?

  init(_ identity: SessionIdentity?) {
    day = identity?.day
    version = identity?.version
  }

  /// The folders, as Hive, Spark, DuckDB and others read them: `day=2026-11-23/version=1.5`.
  var path: String { "\(Self.folder("day", day))/\(Self.folder("version", version))" }

  /// Whether its sessions say on which day they were. Those that do not are of no run of summaries more than of another, so
  /// none may replace them as a whole.
  var isDated: Bool { day != nil }

  /// The folder of the sessions that do not say their day.
  static let undated = folder("day", nil)

  /// One folder is one partition, else the second would take the place of the first.
  static func == (a: SummaryPartition, b: SummaryPartition) -> Bool { a.path == b.path }

  func hash(into hasher: inout Hasher) { hasher.combine(path) }

  static func < (a: SummaryPartition, b: SummaryPartition) -> Bool {
    a.path.utf8.lexicographicallyPrecedes(b.path.utf8)
  }

  /// Hive's word for null.
  private static let null = "__HIVE_DEFAULT_PARTITION__"

  private static func folder(_ key: String, _ value: String?) -> String {
    "\(key)=\(value.map(escaped) ?? null)"
  }

  /// A text as the name of a folder, which is another for another text. Some file systems take capital letters for small
  /// ones, and two spellings of an accent for one, so only small letters, digits and `.-_` of ASCII stand for themselves.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        escaped.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        escaped += "%" + (digits.utf8.count < 2 ? "0" : "") + digits
      }
    }
    // A version that is Hive's word is another than null.
    return escaped == null.lowercased() ? "%5F" + escaped.dropFirst() : escaped
  }
}
