import Foundation

/// A recorded editing session: what a person did to a text, and the text at the end.
///
/// As JSON: `{"startContent": "", "endContent": "hi", "txns": [{"patches": [[0, 0, "hi"]]}]}`.
struct Trace: Decodable {
  /// Replaces bytes at an offset. Offsets count UTF-8 bytes.
  struct Patch {
    var offset: Int
    var deleted: Int
    var inserted: String
  }

  struct Transaction: Decodable {
    /// When it was made, as `2020-10-19T01:00:50.000Z`; nil in traces without times.
    var time: String?
    var patches: [Patch]
  }

  var startContent: String
  var endContent: String
  var txns: [Transaction]

  /// All patches, in the order in which they apply.
  var patches: [Patch] { txns.flatMap(\.patches) }
}

extension Trace.Patch: Decodable {
  /// Reads `[offset, deleted, inserted]`.
  init(from decoder: any Decoder) throws {
    var fields = try decoder.unkeyedContainer()
    offset = try fields.decode(Int.self)
    deleted = try fields.decode(Int.self)
    inserted = try fields.decode(String.self)
  }
}

extension Trace {
  /// Reads a trace: a file, one packed by gzip when its name ends in `.gz`, or `-` for the standard input.
  init(path: String) throws {
    let data =
      if path == "-" {
        try FileHandle.standardInput.readToEnd() ?? Data()
      } else if path.hasSuffix(".gz") {
        try Self.unpack(path)
      } else {
        try Data(contentsOf: URL(filePath: path))
      }
    self = try JSONDecoder().decode(Trace.self, from: data)
  }

  private static func unpack(_ path: String) throws -> Data {
    let gzip = Process()
    gzip.executableURL = URL(filePath: "/usr/bin/env")
    gzip.arguments = ["gzip", "-dc", "--", path]
    let output = Pipe()
    gzip.standardOutput = output
    try gzip.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    gzip.waitUntilExit()
    guard gzip.terminationStatus == 0 else { throw TraceError("gzip cannot unpack \(path)") }
    return data
  }
}

/// Why a trace cannot be replayed.
struct TraceError: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
