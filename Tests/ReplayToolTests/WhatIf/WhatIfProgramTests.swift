import EventLog
import Foundation
import LogGenerator
import Projection
import Testing

@testable import ReplayTool

/// Random programs, each run under two rules: the prediction from one log equals the result of the other run.
@Suite struct WhatIfProgramTests {
  @Recorded final class Shelf {
    var items: RecordedArray<Item> = RecordedArray((0..<8).map { Item(id: $0) })
    var level = 0
    var title = ""
  }

  struct Item: Identifiable, Equatable, Codable {
    let id: Int
    var count = 0
    var name = ""
  }

  /// One program: views of a shelf, and the changes of the shelf.
  private static func run(_ session: Session, _ tracking: Tracking, isolated: Bool = false, seed: UInt64) {
    var random = SplitMix(state: seed)
    let shelf = Shelf()
    session.attach(shelf, as: "shelf")
    session.projection("Screen", tracking: tracking) { screen in
      let level = isolated ? screen.child("Level") { _ in shelf.level } : shelf.level
      for index in shelf.items.indices {
        screen.child("Follower", id: index) { _ in shelf.items[index].count }
        screen.child("Skipped", id: index, input: index) { row in
          row.child("Label", input: index) { _ in shelf.items[index].name }
          return index
        }
      }
      return isolated ? "" : "\(level)"
    }
    session.projection("Badge", tracking: tracking) { _ in "\(shelf.title) \(shelf.items.count)" }
    // So that every run shows which children run with their parent and which are skipped.
    session.transaction { shelf.title = "a" }
    for _ in 0..<3 { shelf.level += 1 }
    for _ in 0..<40 { step(shelf, session, &random) }
  }

  private static func step(_ shelf: Shelf, _ session: Session, _ random: inout SplitMix) {
    let index = Int(random.next() % 8)
    switch random.next() % 7 {
    case 0: shelf.items[index].count += 1
    case 1: shelf.items[index].name = "n\(random.next() % 3)"
    case 2: shelf.level = Int(random.next() % 3)
    case 3: shelf.title = "t\(random.next() % 2)"
    case 4: shelf.items[index] = shelf.items[index]
    case 5:
      session.transaction {
        shelf.items[index].count += 1
        shelf.level += 1
        shelf.items[(index + 1) % 8].count += 1
      }
    default:
      session.transaction {
        shelf.level += 1
        shelf.level -= 1
      }
    }
  }

  @Test(arguments: [
    (Tracking.element, Tracking.property), (.property, .element), (.element, .object), (.property, .object),
  ])
  func anotherTrackingIsPredictedExactly(from: Tracking, to: Tracking) throws {
    let workspace = try Workspace()
    for seed in 1...3 as ClosedRange<UInt64> {
      let recorded = try RecordedProgram(in: workspace, "a\(seed)") { Self.run($0, from, seed: seed) }
      let real = try RecordedProgram(in: workspace, "b\(seed)") { Self.run($0, to, seed: seed) }
      let predicted = try Predicted(recorded.log, "--tracking", "\(to)")
      #expect(predicted.before == recorded.evaluations, "seed \(seed)")
      #expect(predicted.after == real.evaluations, "seed \(seed)")
      #expect(predicted.unknown.isEmpty, "seed \(seed)")
    }
  }

  @Test(arguments: [Tracking.element, .property])
  func whatTrackingByObjectHidesIsSaidToBeUnknown(to: Tracking) throws {
    // By object, every child that reads is invalidated with its parent: nothing shows which would have run with it.
    let workspace = try Workspace()
    for seed in 1...3 as ClosedRange<UInt64> {
      let recorded = try RecordedProgram(in: workspace, "a\(seed)") { Self.run($0, .object, seed: seed) }
      let real = try RecordedProgram(in: workspace, "b\(seed)") { Self.run($0, to, seed: seed) }
      let predicted = try Predicted(recorded.log, "--tracking", "\(to)")
      #expect(predicted.unknown.keys.sorted() == ["Follower"], "seed \(seed)")
      #expect(
        predicted.after.merging(predicted.unknown, uniquingKeysWith: +) == real.evaluations, "seed \(seed)")
    }
  }

  @Test func isolatingAReadIsPredictedExactly() throws {
    let workspace = try Workspace()
    for seed in 1...3 as ClosedRange<UInt64> {
      let recorded = try RecordedProgram(in: workspace, "a\(seed)") { Self.run($0, .element, seed: seed) }
      var real = try RecordedProgram(in: workspace, "b\(seed)") {
        Self.run($0, .element, isolated: true, seed: seed)
      }
      real.evaluations["Screen:shelf.level"] = real.evaluations.removeValue(forKey: "Level")
      let predicted = try Predicted(recorded.log, "--isolate", "Screen:shelf.level")
      #expect(predicted.after == real.evaluations, "seed \(seed)")
    }
  }
}

/// Random numbers from a seed.
private struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
