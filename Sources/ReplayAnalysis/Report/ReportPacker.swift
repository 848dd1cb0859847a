/// What the page of one run, or of two, contains.
package struct ReportOptions: Sendable {
  /// Whether the recorded values are included.
  package var hasValues: Bool
  /// The limit on the total size of the compressed chunks, in bytes.
  package var budget: Int

  /// Whether names are included. Without them, numbers stand in for projections, paths and labels, and the
  /// page has no sites, program or log path; values are left out too.
  package var hasNames: Bool

  package init(hasValues: Bool, hasNames: Bool = true, budget: Int) {
    self.hasValues = hasValues && hasNames
    self.hasNames = hasNames
    self.budget = budget
  }
}

/// A part of a page that can be read by itself.
package struct ReportChunk: Sendable {
  package let name: String
  /// The compressed bytes.
  package let packed: [UInt8]

  package init(name: String, packed: [UInt8]) { (self.name, self.packed) = (name, packed) }
}

/// The chunks so far, and the bytes left for others.
struct ReportPacker {
  var room: Int
  private let pack: ([UInt8]) throws -> [UInt8]
  private(set) var chunks: [ReportChunk] = []
  /// Whether a chunk did not fit.
  private(set) var hasRefused = false

  init(room: Int, pack: @escaping ([UInt8]) throws -> [UInt8]) {
    self.room = room
    self.pack = pack
  }

  func measure(_ bytes: [UInt8]) throws -> Int { try pack(bytes).count }

  /// Adds a chunk if it takes at most this share of the remaining room.
  mutating func add(_ name: String, _ bytes: [UInt8], share: Double) throws -> Bool {
    add(ReportChunk(name: name, packed: try pack(bytes)), share: share)
  }

  mutating func add(_ chunk: ReportChunk, share: Double = 1) -> Bool {
    guard Double(chunk.packed.count) <= max(0, Double(room)) * share else {
      hasRefused = true
      return false
    }
    room -= chunk.packed.count
    chunks.append(chunk)
    return true
  }
}
