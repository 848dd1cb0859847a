import BenchSupport
import CPeers
import Foundation
import Observation
import Projection

/// How much memory objects take if one of their properties is observed.
struct MemoryTable {
  static let title = "memory of an object with one observed property"

  private let count: Int
  private let contender: String?

  /// - Parameter contender: Measures the contenders whose names contain this; nil for all.
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
    try measureSessions("not observed") { _, _ in }
    try measureSessions("one projection of all") { session, all in
      session.projection("View") { _ in for one in all { consume(one.value) } }
    }
    try measureSessions("a projection each") { session, all in
      for one in all { session.projection("View") { _ in consume(one.value) } }
    }
  }

  private func measureSessions(_ name: String, _ observe: (Session, [Cell]) -> Void) throws {
    try measure("@Recorded, session that records nothing, \(name)") {
      let session = Session()
      observe(session, attached(to: session))
      return session
    }
    try measure("@Recorded, recorded to a file, \(name)") {
      let recording = try RecordingSession()
      observe(recording.session, attached(to: recording.session))
      return recording
    }
  }

  private func objects<Object>(_ make: () -> Object) -> [Object] { (0..<count).map { _ in make() } }

  private func attached(to session: Session) -> [Cell] {
    let root = Cells()
    let all = objects { Cell() }
    root.all = RecordedArray(all)
    session.attach(root, as: "cells")
    return all
  }

  private func measure<Kept>(_ name: String, _ make: () throws -> Kept) throws {
    if let contender, !name.contains(contender) { return }
    let before = Self.settledBytes()
    let kept = try make()
    let bytes = Double(Self.settledBytes() - before) / Double(count)
    print("  \(name.padded(to: 56)) \(Int(bytes.rounded())) bytes")
    withExtendedLifetime(kept) {}
  }

  /// The allocated bytes once the log's thread has written all that was queued.
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
