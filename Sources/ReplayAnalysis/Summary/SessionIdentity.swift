import EventLog

/// Identifies the session of a log, from the log's header.
///
/// An app records it in the log's metadata, under the names below. All but the id may be missing. Texts are
/// cut at ``textBytesMax``, since some become names of folders.
package struct SessionIdentity: Hashable, Sendable {
  /// `session_id`; or, if missing, the salt of the log in 16 hexadecimal digits.
  package var id: String
  /// `app`; or, if missing, the name of the program.
  package var app: String
  /// `version`
  package var version: String?
  /// `device_class`
  package var deviceClass: String?
  /// `os`
  package var os: String?
  /// `sampling_weight`: how many sessions this one stands for, from 1e-9 to 1e9; 1 if it is not a number
  /// above 0.
  package var samplingWeight = 1.0
  /// `trigger`: why the session was kept.
  package var trigger: String?
  /// When the log was created, in microseconds since 1970; nil if unknown.
  package var start: Int64?
  /// What the app tells its sessions apart by, such as experiments: `dim.NAME`, by the name in lower case. Names have
  /// letters, digits and underscores of ASCII; others, and those beyond ``dimensionsMax``, are left out.
  package var dimensions: [String: String] = [:]

  package static let textBytesMax = 80
  /// More dimensions than a session has. Each is a column.
  package static let dimensionsMax = 32
  private static let dimensionBytesMax = 40

  package init(_ header: LogHeader) {
    let metadata = header.metadata
    func text(_ name: String) -> String? {
      metadata[name].flatMap { $0.isEmpty ? nil : $0.clipped(to: Self.textBytesMax) }
    }
    id = text("session_id") ?? header.salt.padded(to: 16, radix: 16)
    let program = header.program.split(separator: "/").last.map(String.init) ?? ""
    app = text("app") ?? program.clipped(to: Self.textBytesMax)
    version = text("version")
    deviceClass = text("device_class")
    os = text("os")
    samplingWeight = Self.samplingWeight(metadata["sampling_weight"].flatMap(Double.init) ?? 1)
    trigger = text("trigger")
    start = header.created > 0 ? Int64(header.created / 1000) : nil
    for (key, _) in metadata.sorted(by: { ExactString($0.key) < ExactString($1.key) })
    where dimensions.count < Self.dimensionsMax {
      // Of two names that differ only in case the first counts, since engines take their columns for one.
      guard let name = Self.dimension(key), dimensions[name] == nil else { continue }
      dimensions[name] = text(key)
    }
  }

  /// The name of the dimension that a key of the metadata stands for; nil if it is none.
  private static func dimension(_ key: String) -> String? {
    guard key.hasPrefix("dim.") else { return nil }
    let name = key.utf8.dropFirst(4)
    let isPlain = name.allSatisfy { byte in
      byte == UInt8(ascii: "_") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }
    return isPlain && (1...dimensionBytesMax).contains(name.count)
      ? String(decoding: name.map { $0 == UInt8(ascii: "_") ? $0 : $0 | 0x20 }, as: UTF8.self) : nil
  }

  /// Clamps a weight from a log or a table, so that the product of its square and that of a time is still
  /// finite. Otherwise one log could make the sums of all sessions infinite.
  package static func samplingWeight(_ claimed: Double) -> Double {
    claimed > 0 && claimed.isFinite ? min(max(claimed, 1e-9), 1e9) : 1
  }

  /// The day of ``start`` in UTC, as `2026-11-23`.
  package var day: String? { start.map { DateText.day(unixMicroseconds: $0) } }
}

extension String {
  /// The longest prefix of the text that has at most this many bytes.
  package func clipped(to bytes: Int) -> String {
    if utf8.count <= bytes { return self }
    var clipped = ""
    var count = 0
    for scalar in unicodeScalars {
      count += UTF8.width(scalar)
      if count > bytes { break }
      clipped.unicodeScalars.append(scalar)
    }
    return clipped
  }
}
