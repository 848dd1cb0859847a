import EventLog
import ReplayAnalysis

/// The sessions of one day and one version of an app. Each table has a folder for each partition.
struct SummaryPartition: Hashable, Comparable {
  let day: String?
  let version: String?

  init(_ identity: SessionIdentity?) {
    day = identity?.day
    version = identity?.version
  }

  /// The path of the folder, in the form that Hive, Spark, DuckDB and others read:
  /// `day=2026-11-23/version=1.5`.
  var path: String { "\(Self.folder("day", day))/\(Self.folder("version", version))" }

  /// Whether its sessions have a day. The partition without a day collects the sessions of many runs of the
  /// command, so no run may replace it as a whole.
  var isDated: Bool { day != nil }

  /// The folder of sessions without a day.
  static let undated = folder("day", nil)

  /// Partitions with the same folder are equal; otherwise the second would replace the first.
  static func == (a: SummaryPartition, b: SummaryPartition) -> Bool { a.path == b.path }

  func hash(into hasher: inout Hasher) { hasher.combine(path) }

  static func < (a: SummaryPartition, b: SummaryPartition) -> Bool {
    a.path.utf8.lexicographicallyPrecedes(b.path.utf8)
  }

  /// Hive's name for null.
  private static let null = "__HIVE_DEFAULT_PARTITION__"

  /// The name of a folder: `version=1.5`.
  static func folder(_ key: String, _ value: String?) -> String {
    "\(key)=\(value.map(escaped) ?? null)"
  }

  /// Escapes a text for the name of a folder, so that different texts give different names. Some file systems
  /// ignore case or normalise accents, so only ASCII lowercase letters, digits and `.-_` stay as they are.
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
    // A version with the same text as Hive's null must not become null.
    return escaped == null.lowercased() ? "%5F" + escaped.dropFirst() : escaped
  }
}
