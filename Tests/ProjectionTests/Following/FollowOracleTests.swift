import EventLog
import Foundation
import LogGenerator
import Observation
import Testing

@testable import Projection

/// Random programs with recorded objects, followed ones and others, compared with a model that has neither sessions nor the
/// standard library's observers: it notes what each body reads.
@MainActor @Suite struct FollowOracleTests {
  @Observable final class Box {
    var a = 0
    var b = 0
  }

  @Recorded final class Crate {
    var a = 0
    var b = 0
  }

  @Test(arguments: FollowingWay.all, 0..<20)
  func readersRunAsOftenAsTheModelSays(way: FollowingWay, round: UInt64) throws {
    for seed in round * 50..<(round + 1) * 50 {
      var program = try Program(seed: seed, way)
      try program.run(steps: 60)
      if let problem = program.problem {
        Issue.record("seed \(seed), \(way): \(problem)")
        return
      }
    }
  }

  /// A property of one of the objects.
  struct Cell: Hashable, CustomStringConvertible {
    var object: Int
    var isB: Bool
    var description: String { "\(object)\(isB ? "b" : "a")" }
  }

  /// Objects 0 to 2 are followed, 3 is not, 4 and 5 are recorded.
  final class World {
    let boxes = (0..<4).map { _ in Box() }
    let crates = (0..<2).map { _ in Crate() }
    /// What the running body has read.
    var reads: Set<Cell> = []

    func read(_ cell: Cell) -> Int {
      reads.insert(cell)
      return value(cell)
    }

    func value(_ cell: Cell) -> Int {
      if cell.object < 4 {
        let box = boxes[cell.object]
        return cell.isB ? box.b : box.a
      }
      let crate = crates[cell.object - 4]
      return cell.isB ? crate.b : crate.a
    }

    func set(_ cell: Cell, _ value: Int) {
      if cell.object < 4 {
        let box = boxes[cell.object]
        if cell.isB { box.b = value } else { box.a = value }
      } else {
        let crate = crates[cell.object - 4]
        if cell.isB { crate.b = value } else { crate.a = value }
      }
    }
  }

  /// A body: reads the first cell, and depending on its value one of the others, and so on.
  final class Reader {
    let cells: [Cell]
    var runs = 0
    /// What the last run has read.
    var reads: Set<Cell> = []
    var isFlagged = false
    var isAlive = true
    var modelRuns = 1
    var handle: ProjectionHandle?

    init(_ cells: [Cell]) { self.cells = cells }

    func body(_ world: World) -> Int {
      world.reads = []
      runs += 1
      var sum = 0
      var place = 0
      while place < cells.count {
        let value = world.read(cells[place])
        sum = sum &* 31 &+ value
        place += 1 + value % 2
      }
      reads = world.reads
      return sum
    }
  }

  struct Program {
    private let place: LogPlace
    private let session: Session
    private let way: FollowingWay
    private let world = World()
    private var readers: [Reader] = []
    private var random: SplitMix64
    private var trace: [String] = []
    private(set) var problem: String?

    init(seed: UInt64, _ way: FollowingWay) throws {
      place = try LogPlace()
      session = try Session(recordingTo: place.url)
      session.follow(inThe: way)
      self.way = way
      random = SplitMix64(seed: seed)
      for (number, crate) in world.crates.enumerated() { session.attach(crate, as: "crate\(number)") }
      for (number, box) in world.boxes.prefix(3).enumerated() {
        session.follow(box, as: "box\(number)", properties: \.a, \.b)
      }
      for _ in 0..<4 { add() }
    }

    private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    /// What is not followed changes between notices of what is; who was told of which is then not known but in the other ways.
    private mutating func cell() -> Cell {
      let object = below(6)
      return Cell(object: way == .told && object == 3 ? 4 : object, isB: below(2) == 0)
    }

    /// Whether readers of an object run at once, and not at the next flush.
    private func isImmediate(_ object: Int) -> Bool { way != .announced || object >= 4 }

    private mutating func add() {
      let reader = Reader((0..<1 + below(4)).map { _ in cell() })
      reader.handle = session.projection("Reader#\(readers.count)") { [world] _ in reader.body(world) }
      readers.append(reader)
    }

    mutating func run(steps: Int) throws {
      for _ in 0..<steps where problem == nil {
        step()
        check()
      }
      flush()
      check()
      try closeAndCheck(session, place.url)
    }

    private mutating func step() {
      switch below(12) {
      case 0: flush()
      case 1 where readers.count < 12: add()
      case 2 where below(4) == 0:
        guard let reader = readers.filter(\.isAlive).last else { return }
        reader.handle?.cancel()
        reader.isAlive = false
      case 3:
        let cells = (0..<3).map { _ in Cell(object: 4 + below(2), isB: below(2) == 0) }
        let before = cells.map { world.value($0) }
        let reads = readers.map(\.reads)
        trace.append("transaction \(cells)")
        session.transaction {
          for cell in cells { world.set(cell, below(3)) }
        }
        let changed = zip(cells, before).filter { world.value($0) != $1 }.map(\.0)
        for (reader, reads) in zip(readers, reads) where reader.isAlive && !reads.isDisjoint(with: changed) {
          count(reader)
        }
      default:
        let cell = cell()
        let value = below(3)
        let isChange = world.value(cell) != value
        trace.append("\(cell) = \(value)")
        // What has been read must be taken before the set, which runs readers of recorded objects.
        if isChange, !isImmediate(cell.object) {
          for reader in readers where reader.isAlive && reader.reads.contains(cell) {
            reader.isFlagged = true
          }
        }
        let hit = readers.filter { $0.isAlive && $0.reads.contains(cell) }
        world.set(cell, value)
        if isChange, isImmediate(cell.object) { for reader in hit { count(reader) } }
      }
    }

    private func count(_ reader: Reader) {
      reader.modelRuns += 1
      reader.isFlagged = false
    }

    private mutating func flush() {
      trace.append("flush")
      let flagged = readers.filter { $0.isAlive && $0.isFlagged }
      session.flush()
      for reader in flagged { count(reader) }
    }

    private mutating func check() {
      for (number, reader) in readers.enumerated() where reader.runs != reader.modelRuns && problem == nil {
        problem =
          "Reader#\(number) \(reader.cells) ran \(reader.runs) times, and \(reader.modelRuns) in the model, after "
          + trace.joined(separator: "; ")
      }
    }
  }
}
