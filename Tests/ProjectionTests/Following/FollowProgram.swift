import EventLog
import Foundation
import LogGenerator
import Observation
import Projection

/// What several actors do at once with objects that a session follows and with recorded ones.
struct FollowProgram: CustomStringConvertible {
  /// A property of a followed box, or of a recorded crate.
  struct Place: Hashable {
    var object: Int
    var isRecorded: Bool
    var property: Property

    enum Property: String, CaseIterable { case number, text, list }
  }

  indirect enum Step {
    case set(Place, Int)
    case append(Place, Int)
    /// A mutation in place that changes nothing, and within which another property is set.
    case touch(Place, within: Place, Int)
    case action([Step])
    case transaction([Step])
    /// Sets by another thread, for which the actor waits.
    case thread([Step])
    /// The box is replaced by a new one, and its last reference released.
    case replace(box: Int)
    case flush
    case suspend
  }

  var actors: [[Step]]

  var description: String {
    actors.enumerated().map { "actor \($0): \($1.map { "\($0)" }.joined(separator: "; "))" }.joined(
      separator: "\n")
  }

  /// Programs without one of the steps.
  var smaller: [FollowProgram] {
    actors.indices.flatMap { actor in
      Self.smaller(actors[actor]).map { steps in
        var program = self
        program.actors[actor] = steps
        return program
      }
    }
  }

  private static func smaller(_ steps: [Step]) -> [[Step]] {
    var all: [[Step]] =
      steps.count > 3 ? [Array(steps.prefix(steps.count / 2)), Array(steps.suffix(steps.count / 2))] : []
    for index in steps.indices {
      let (before, after) = (steps[..<index], steps[(index + 1)...])
      all.append(Array(before + after))
      let inner: [[Step]]
      switch steps[index] {
      case .action(let steps): inner = smaller(steps).map { [.action($0)] } + [steps]
      case .transaction(let steps): inner = smaller(steps).map { [.transaction($0)] } + [steps]
      case .thread(let steps): inner = smaller(steps).map { [.thread($0)] } + [steps]
      default: inner = []
      }
      all += inner.map { before + $0 + after }
    }
    return all
  }

  // MARK: Made from a seed

  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    actors = []
    let size = 3 + Int.random(in: 0..<30, using: &random)
    for _ in 0..<1 + Int.random(in: 0..<3, using: &random) {
      actors.append((0..<size).map { _ in Self.step(0, canSuspend: true, &random) })
    }
  }

  private static func place(_ random: inout SplitMix64) -> Place {
    Place(
      object: .random(in: 0..<2, using: &random), isRecorded: .random(in: 0..<3, using: &random) == 0,
      property: Place.Property.allCases.randomElement(using: &random) ?? .number)
  }

  private static func step(_ depth: Int, canSuspend: Bool, _ random: inout SplitMix64) -> Step {
    func steps(_ canSuspend: Bool) -> [Step] {
      (0..<1 + Int.random(in: 0..<4, using: &random)).map { _ in
        step(depth + 1, canSuspend: canSuspend, &random)
      }
    }
    let value = Int.random(in: 0..<4, using: &random)
    switch Int.random(in: 0..<20, using: &random) {
    case 0...1 where depth < 2: return .action(steps(canSuspend))
    case 2 where depth < 2: return .transaction(steps(false))
    case 3: return .thread((0..<2).map { _ in .set(place(&random), value) })
    case 4 where depth == 0: return .replace(box: .random(in: 0..<2, using: &random))
    case 5: return .flush
    case 6...7 where canSuspend: return .suspend
    case 8...10:
      var place = place(&random)
      place.property = .list
      return .append(place, value)
    case 11:
      var (list, other) = (place(&random), place(&random))
      (list.property, other.property) = (.list, .number)
      return .touch(list, within: other, value)
    default: return .set(place(&random), value)
    }
  }
}

/// What the program itself knows of its sets: the log must say the same.
struct FollowLedger {
  struct Entry: Equatable, CustomStringConvertible {
    var path: String
    var value: String
    var action: String
    var description: String { "\(path) = \(value) by \(action)" }
  }

  var entries: [Entry] = []
  /// What a view showed that was not so.
  var stale: [String] = []
}

/// One actor's part of a program: its objects, its views, and the ledger of what it does.
actor FollowPlayer {
  @Observable final class Box {
    var number = 0
    var text = "0"
    var list: [Int] = []
  }

  @Recorded final class Crate {
    var number = 0
    var text = "0"
    var list: [Int] = []
  }

  /// The objects, used by the actor and by the threads for which it waits.
  fileprivate final class World: @unchecked Sendable {
    var boxes: [Box] = []
    var boxNames: [String] = []
    let crates = [Crate(), Crate()]
    var shown: [Int: String] = [:]
    var ledger = FollowLedger()
    var made = 0

    /// What a view of objects shows: which property it reads depends on another.
    func look(_ object: Int) -> String {
      let (box, crate) = (boxes[object], crates[object])
      let rest = box.number.isMultiple(of: 2) ? box.text : "\(box.list)"
      return "\(box.number) \(rest) \(crate.number.isMultiple(of: 2) ? crate.text : "-")"
    }
  }

  private let number: Int
  private let session: Session
  private let world = World()

  init(_ number: Int, in session: Session) { (self.number, self.session) = (number, session) }

  var ledger: FollowLedger { world.ledger }

  func begin() {
    for (object, crate) in world.crates.enumerated() {
      session.attach(crate, as: "crate\(number)\(object)")
      follow(object)
    }
    for object in 0..<2 {
      session.projection("View\(number)#\(object)") { [world] _ in
        let text = world.look(object)
        world.shown[object] = text
        return text
      }
    }
  }

  /// Makes a box, and follows it.
  private func follow(_ object: Int) {
    let box = Box()
    let name = "box\(number)\(object)n\(world.made)"
    world.made += 1
    session.follow(box, as: name, properties: \.number, \.text, \.list)
    if object < world.boxes.count {
      (world.boxes[object], world.boxNames[object]) = (box, name)
    } else {
      world.boxes.append(box)
      world.boxNames.append(name)
    }
  }

  func play(_ steps: [FollowProgram.Step], by action: String = "none") async {
    for (index, step) in steps.enumerated() {
      switch step {
      case .suspend: await Task.yield()
      case .action(let steps):
        let label = "\(action)/\(number).\(index)"
        await session.action(label) { await play(steps, by: label) }
      default: perform(step, by: action, index, isInTransaction: false)
      }
    }
  }

  private func perform(_ step: FollowProgram.Step, by action: String, _ index: Int, isInTransaction: Bool) {
    switch step {
    case .set(let place, let value): set(place, to: value, by: action)
    case .append(let place, let value):
      if place.isRecorded {
        world.crates[place.object].list.append(value)
      } else {
        world.boxes[place.object].list.append(value)
      }
      note(place, by: action)
    case .touch(let place, let other, let value):
      let touch: (inout [Int]) -> Void = { list in
        list.removeAll { _ in false }
        self.set(other, to: value, by: action)
      }
      if place.isRecorded {
        touch(&world.crates[place.object].list)
      } else {
        touch(&world.boxes[place.object].list)
      }
    case .action(let steps):
      let label = "\(action)/\(number).\(index)"
      session.action(label) {
        for (index, step) in steps.enumerated() {
          perform(step, by: label, index, isInTransaction: isInTransaction)
        }
      }
    case .transaction(let steps):
      session.transaction {
        for (index, step) in steps.enumerated() { perform(step, by: action, index, isInTransaction: true) }
      }
    case .thread(let steps):
      // A transaction belongs to its thread, and the actor waits.
      if isInTransaction { return }
      let isDone = DispatchSemaphore(value: 0)
      Thread.detachNewThread { [self] in
        for case .set(let place, let value) in steps { setAnywhere(place, to: value, by: "none") }
        isDone.signal()
      }
      isDone.wait()
    case .replace(let box):
      if isInTransaction { return }
      follow(box)
      // A view has read the old one, of which nothing tells any more: a number of its own makes it run.
      world.crates[box].number += 1
      note(FollowProgram.Place(object: box, isRecorded: true, property: .number), by: action)
    case .flush: session.flush()
    case .suspend: break
    }
    if !isInTransaction { check("\(step)") }
  }

  private func set(_ place: FollowProgram.Place, to value: Int, by action: String) {
    setAnywhere(place, to: value, by: action)
  }

  /// Sets a property, and notes it if that is a change.
  private nonisolated func setAnywhere(_ place: FollowProgram.Place, to value: Int, by action: String) {
    let before = world.value(place)
    let (box, crate) = (world.boxes[place.object], world.crates[place.object])
    switch place.property {
    case .number: if place.isRecorded { crate.number = value } else { box.number = value }
    case .text: if place.isRecorded { crate.text = "\(value)" } else { box.text = "\(value)" }
    case .list:
      // Another change might be recorded as several edits.
      let list = value == 0 ? [] : (place.isRecorded ? crate.list : box.list) + [value]
      if place.isRecorded { crate.list = list } else { box.list = list }
    }
    if world.value(place) != before { note(place, by: action) }
  }

  private nonisolated func note(_ place: FollowProgram.Place, by action: String) {
    let name = place.isRecorded ? "crate\(number)\(place.object)" : world.boxNames[place.object]
    world.ledger.entries.append(
      FollowLedger.Entry(
        path: "\(name).\(place.property.rawValue)", value: world.value(place), action: action))
  }

  private func check(_ step: String) {
    for object in 0..<2 where world.shown[object] != world.look(object) {
      world.ledger.stale.append(
        "after \(step), view \(object) shows \(world.shown[object] ?? "nothing"), and not \(world.look(object))"
      )
    }
  }
}

extension FollowPlayer.World {
  /// The value of a property, as JSON.
  func value(_ place: FollowProgram.Place) -> String {
    let (box, crate) = (boxes[place.object], crates[place.object])
    return switch place.property {
    case .number: "\(place.isRecorded ? crate.number : box.number)"
    case .text: "\"\(place.isRecorded ? crate.text : box.text)\""
    case .list: "[\((place.isRecorded ? crate.list : box.list).map(String.init).joined(separator: ","))]"
    }
  }
}
