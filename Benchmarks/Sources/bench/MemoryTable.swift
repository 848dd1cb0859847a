import BenchSupport
import CPeers
import Foundation
import Observation
import Projection

/// How much memory objects take of which one property is observed.
struct MemoryTable {
  static let title = "memory of an object with one observed property"

  private let count: Int
  private let contender: String?

  /// - Parameter contender: What the names of the contenders contain that are measured; nil for all.
  init(objects count: Int, only contender: String?) {
    self.count = count
    self.contender = contender
  }

  func run() throws {
    print("\n\(Self.title), of \(count)")
    try measure("@Observable, not observed") { objects { ObservableOne() } }
    try measure("@Observable, withObservationTracking each") {
      let all = objects { ObservableOne() }
      return (all, all.map { one in Rearming { consume(one.value) } })
    }
    try measure("@Observable, one withObservationTracking of all") {
      let all = objects { ObservableOne() }
      return (all, Rearming { for one in all { consume(one.value) } })
    }
    try measure("@Recorded, not observed, in no session") { objects { Cell() } }
    try measure("@Recorded, in no session, withObservationTracking each") {
      let all = objects { Cell() }
      return (all, all.map { one in Rearming { consume(one.value) } })
    }
    try measure("@Recorded, recorded to a file, not observed") {
      let (recording, _) = try recorded()
      return recording
    }
    try measure("@Recorded, recorded to a file, one projection of all") {
      let (recording, all) = try recorded()
      recording.session.projection("View") { _ in for one in all { consume(one.value) } }
      return recording
    }
    try measure("@Recorded, recorded to a file, a projection each") {
      let (recording, all) = try recorded()
      for one in all { recording.session.projection("View") { _ in consume(one.value) } }
      return recording
    }
  }

  private func objects<Object>(_ make: () -> Object) -> [Object] { (0..<count).map { _ in make() } }

  private func recorded() throws -> (recording: RecordingSession, objects: [Cell]) {
    let recording = try RecordingSession()
    let root = Cells()
    let all = objects { Cell() }
    root.all = RecordedArray(all)
    recording.session.attach(root, as: "cells")
    return (recording, all)
  }

  private func measure<Kept>(_ name: String, _ make: () throws -> Kept) throws {
    if let contender, !name.contains(contender) { return }
    let before = Self.settledBytes()
    let kept = try make()
    let bytes = Double(Self.settledBytes() - before) / Double(count)
    print("  \(name.padded(to: 56)) \(Int(bytes.rounded())) bytes")
    withExtendedLifetime(kept) {}
  }

  /// What is allocated once the log's thread has written what it had to write.
  static func settledBytes() -> Int {
    var last = Int(allocated_bytes())
    while true {
      Thread.sleep(forTimeInterval: 0.3)
      let now = Int(allocated_bytes())
      if now == last { return now }
      last = now
    }
  }
}
