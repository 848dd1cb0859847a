/// What goes into the page of a run, or of two.
package struct ReportOptions: Sendable {
  /// Whether what was recorded at paths is taken in.
  package var hasValues: Bool
  /// How many bytes all chunks together may have as they are packed.
  package var budget: Int

  /// Whether names are taken in. Without them numbers stand for projections, paths and labels, and nothing is said of
  /// the source, the program and the log; then there are no values either.
  package var hasNames: Bool

  package init(hasValues: Bool, hasNames: Bool = true, budget: Int) {
    self.hasValues = hasValues && hasNames
    self.hasNames = hasNames
    self.budget = budget
  }
}

/// A part of a page that is read by itself.
package struct ReportChunk: Sendable {
  package let name: String
  /// As it is written.
  package let packed: [UInt8]
}

/// The chunks so far, and how many bytes are left for others.
struct ReportPacker {
  var room: Int
  private let pack: ([UInt8]) throws -> [UInt8]
  private(set) var chunks: [ReportChunk] = []
  /// Whether something did not fit.
  private(set) var hasRefused = false

  init(room: Int, pack: @escaping ([UInt8]) throws -> [UInt8]) {
    self.room = room
    self.pack = pack
  }

  func measure(_ bytes: [UInt8]) throws -> Int { try pack(bytes).count }

  /// Adds a chunk if it takes no more than a share of the room.
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
