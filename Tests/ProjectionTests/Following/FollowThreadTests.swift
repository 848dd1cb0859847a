import EventLog
import Foundation
import LogGenerator
import Observation
import Testing

@testable import Projection

/// Objects of several actors, which change at once, and recorded ones beside them.
@Suite struct FollowThreadTests {
  @Observable final class Box { var number = 0 }

  @Recorded final class Counter { var number = 0 }

  actor Owner {
    private let box = Box()
    private let session: Session
    private let name: String
    private(set) var seen: [Int] = []

    init(_ name: String, in session: Session) { (self.name, self.session) = (name, session) }

    func begin() {
      session.follow(box, as: name, properties: \.number)
      session.projection(name) { [self] in assumeIsolated { $0.look() } }
    }

    private func look() { seen.append(box.number) }

    func work(_ turns: Int) async {
      for _ in 0..<turns {
        for _ in 0..<3 { box.number += 1 }
        await Task.yield()
      }
    }

    var number: Int { box.number }
  }

  @Test(arguments: FollowingWay.all) func eachActorsChangesAreRecordedOnIt(way: FollowingWay) async throws {
    let place = try LogPlace()
    let session = try Session(recordingTo: place.url)
    session.follow(inThe: way)
    let owners = (0..<4).map { Owner("box\($0)", in: session) }
    for owner in owners { await owner.begin() }
    await withTaskGroup(of: Void.self) { group in
      for owner in owners { group.addTask { await owner.work(200) } }
      group.addTask {
        let counter = Counter()
        session.attach(counter, as: "counter")
        for number in 1...500 { counter.number = number }
      }
    }
    for _ in 0..<10_000 where session.awaitsTurn { await Task.yield() }
    #expect(!session.awaitsTurn)
    for owner in owners {
      let (seen, number) = await (owner.seen, owner.number)
      #expect(number == 600 && seen.last == 600)
      #expect(way == .announced ? seen == seen.sorted() : seen == Array(0...600))
    }
    try closeAndCheck(session, place.url)
    let state = try LogReader(path: place.url.path).state(at: .max)
    for number in 0..<4 { #expect(try state.value(at: Path(parsing: "box\(number).number")) == .int(600)) }
    #expect(session.diagnostics.isEmpty)
  }
}
