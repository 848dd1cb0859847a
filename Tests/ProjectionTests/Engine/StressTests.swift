import EventLog
import Foundation
import LogGenerator
import Projection
import Testing

@Recorded private final class Desk {
  var rows: [Int] = []
  var title = ""
  var level = 0
  var drawer: Drawer?
}

@Recorded private final class Drawer { var content = 0 }

/// Many threads on one session; `make torture-threads` runs it under the thread sanitizer.
@Suite struct StressTests {
  private static let threads = 8
  private static let steps = 150

  @Test(arguments: [Delivery.immediate, .manual])
  func threadsThatMutateReadSubscribeAndDisposeLeaveALogOfTheFinalState(delivery: Delivery) throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let seed = testSeed()
    let session = try Session(recordingTo: url, delivery: delivery)
    let desks = (0..<Self.threads).map { _ in Desk() }
    for (number, desk) in desks.enumerated() { session.attach(desk, as: "desk\(number)") }
    let done = DispatchGroup()
    for (number, desk) in desks.enumerated() {
      nonisolated(unsafe) let desk = desk
      done.enter()
      Thread {
        Self.work(on: desk, number, session, delivery, seed: seed &+ UInt64(number))
        done.leave()
      }.start()
    }
    done.wait()
    session.flush()
    try session.close()
    #expect(session.diagnostics.isEmpty, "seed \(seed)")

    let check = try LogCheck(path: url.path)
    #expect(check.findings.isEmpty, "seed \(seed): \(check.findings)")
    let log = try LogReader(path: url.path)
    #expect(log.isClean, "seed \(seed)")
    var state = State()
    try log.forEachEvent { try state.apply($0) }
    for (number, desk) in desks.enumerated() {
      func value(_ property: String) throws -> Value? {
        state.value(at: try Path(parsing: "desk\(number).\(property)"))
      }
      #expect(try value("rows") == .array(desk.rows.map { .int(Int64($0)) }), "seed \(seed), desk \(number)")
      #expect(try value("title") == .string(desk.title), "seed \(seed), desk \(number)")
      #expect(try value("level") == .int(Int64(desk.level)), "seed \(seed), desk \(number)")
      #expect(
        try value("drawer.content") == desk.drawer.map { .int(Int64($0.content)) },
        "seed \(seed), desk \(number)")
    }
  }

  /// The actions of one thread on a separate desk, in the session that all threads share.
  private static func work(
    on desk: Desk, _ number: Int, _ session: Session, _ delivery: Delivery, seed: UInt64
  ) {
    var random = Steps(seed: seed)
    var subscriptions: [ProjectionHandle] = []
    for step in 0..<steps {
      switch random.pick(10) {
      case 0: desk.rows.append(step)
      case 1: desk.title += "\(step) "
      case 2: desk.level += random.pick(2)
      // A transaction belongs to the session: the thread that ends it runs the projections that changes of
      // all threads invalidated.
      case 3 where delivery == .manual:
        session.transaction("t\(number)") {
          desk.level += 1
          desk.rows = Array(desk.rows.suffix(3))
        }
      case 4: desk.drawer = random.pick(3) == 0 ? nil : Drawer()
      case 5: desk.drawer?.content += 1
      case 6:
        subscriptions.append(
          session.projection("Desk\(number)#\(step)") { scope in
            scope.child("Drawer") { _ in desk.drawer?.content ?? 0 } + desk.rows.count
          })
      case 7: subscriptions.append(session.onChange(of: \.level, in: desk) { _, _ in session.mark("level") })
      case 8:
        if !subscriptions.isEmpty { subscriptions.remove(at: random.pick(subscriptions.count)).cancel() }
      default: if desk.rows.count > 5 { desk.rows.removeFirst() }
      }
    }
    for subscription in subscriptions.dropFirst(2) { subscription.cancel() }
  }
}

/// Random numbers from a seed.
private struct Steps {
  private var state: UInt64

  init(seed: UInt64) { state = seed | 1 }

  mutating func pick(_ count: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % count
  }
}
