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

  package static let textBytesMax = 80

  package init(_ header: LogHeader) {
    let metadata = header.metadata
    func text(_ name: String) -> String? {
      metadata[name].flatMap { $0.isEmpty ? nil : $0.clipped(to: Self.textBytesMax) }
    }
    let digits = String(header.salt, radix: 16)
    id = text("session_id") ?? String(repeating: "0", count: 16 - digits.count) + digits
    let program = header.program.split(separator: "/").last.map(String.init) ?? ""
    app = text("app") ?? program.clipped(to: Self.textBytesMax)
    version = text("version")
    deviceClass = text("device_class")
    os = text("os")
    samplingWeight = Self.samplingWeight(metadata["sampling_weight"].flatMap(Double.init) ?? 1)
    trigger = text("trigger")
    start = header.created > 0 ? Int64(header.created / 1000) : nil
  }

  /// Clamps a weight from a log or a table, so that the product of its square and that of a time is still
  /// finite. Otherwise one log could make the sums of all sessions infinite.
  package static func samplingWeight(_ claimed: Double) -> Double {
    claimed > 0 && claimed.isFinite ? min(max(claimed, 1e-9), 1e9) : 1
  }

  /// The day of ``start`` in UTC, as `2026-11-23`.
  package var day: String? {
    guard let start else { return nil }
    // Days since 0000-03-01, in years that begin in March: a leap day is then the last day of its year.
    let days = start / 86_400_000_000 + 719_468
    let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * march + 2) / 5 + 1
    let month = march < 10 ? march + 3 : march - 9
    let year = yearOfEra + 400 * era + (month <= 2 ? 1 : 0)
    return "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))"
  }

  private static func digits(_ number: Int64, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
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
