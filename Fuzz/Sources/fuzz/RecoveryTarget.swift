@testable import EventLog

/// Finds what is whole of a damaged log.
enum RecoveryTarget: FuzzTarget {
  static let name = "recovery"

  static func run(_ input: [UInt8]) {
    let file = Recipe(input)?.bake() ?? input
    do throws(LogError) {
      let log = try LogReader(file: FuzzedFile(file), path: "fuzz")
      guard let end = log.tornAt else { return }
      expect(end <= UInt64(file.count), "torn at \(end) of \(file.count)")
      // What is whole stays so when the rest is cut away, and nothing is torn then.
      let cut = try LogReader(file: FuzzedFile(Array(file[..<Int(end)])), path: "cut")
      expect(cut.blocks == log.blocks && cut.tornAt == nil, "\(cut.tail)")
    } catch { ReaderTarget.check(error) }
  }

  static func mutate(_ input: [UInt8], limit: Int, seed: UInt32) -> [UInt8] {
    ReaderTarget.mutate(input, limit: limit, seed: seed)
  }
}
