import Foundation
import LogGenerator
import Observation
import Testing

@testable import Projection

/// What the standard library's own tests ask of `withObservationTracking`, asked three times: without a session, of an object that
/// a session follows, and of a projection of that session. The first two must agree in every notice, the third in its runs; but it
/// need not run for a set to what was there, of which the library tells where it cannot compare.
@MainActor @Suite struct FollowedObservationTests {
  @Observable class Base {
    var field = 0
    var other = "a"
    @ObservationIgnored var ignored = 0
    var computed: Int { field * 2 }
    func bump() { field += 1 }
  }

  @Observable final class Child: Base {
    var own = 1
  }

  @Observable final class Nested {
    var inner = Base()
    var list = [1, 2]
    var pair = (first: 1, second: 2)
    var maybe: Int?
    var closure: () -> Int = { 1 }
    var double = 0.0
  }

  /// The notices of one observation that is begun anew after each turn.
  private final class Notices: @unchecked Sendable {
    var count = 0
    var isDue = false

    func observe(_ read: @escaping () -> Void) { withObservationTracking(read) { [self] in isDue = true } }
  }

  /// Runs the turns of a script; returns for each whether the reader was told.
  private func told<Object: AnyObject>(
    _ object: Object, _ turns: [(Object) -> Void], _ read: @escaping (Object) -> Void,
    endTurn: () -> Void = {}
  ) -> [Bool] {
    let notices = Notices()
    notices.observe { read(object) }
    return turns.map { turn in
      turn(object)
      endTurn()
      defer { notices.isDue = false }
      if notices.isDue { notices.observe { read(object) } }
      return notices.isDue
    }
  }

  /// Compares the three.
  private func compare<Object: AnyObject & Observable>(
    _ way: FollowingWay, _ make: () -> Object, follow: (Session, Object) -> Void, turns: [(Object) -> Void],
    unchanged: Set<Int> = [], sourceLocation: SourceLocation = #_sourceLocation,
    read: @escaping (Object) -> Void
  ) throws {
    let plain = told(make(), turns, read)
    let changed = way == .exact ? plain.indices.map { plain[$0] && !unchanged.contains($0) } : plain
    let place = try LogPlace()
    let session = try Session(recordingTo: place.url)
    session.follow(inThe: way)
    let object = make()
    follow(session, object)
    #expect(
      told(object, turns, read, endTurn: { session.flush() }) == plain, "an observer beside the session",
      sourceLocation: sourceLocation)
    let other = make()
    follow(session, other)
    var runs = 0
    session.projection("Reader") { _ in
      runs += 1
      read(other)
    }
    let ran = turns.map { turn in
      let before = runs
      turn(other)
      session.flush()
      // No turn sets more than two properties, or one more than twice.
      #expect(runs - before <= (way == .announced ? 1 : 2), sourceLocation: sourceLocation)
      return runs > before
    }
    #expect(ran == changed, "a projection of the session", sourceLocation: sourceLocation)
    try closeAndCheck(session, place.url)
  }

  private func followBase(_ session: Session, _ base: Base) {
    session.follow(base, as: "base", properties: \.field, \.other, \.computed)
  }

  @Test(arguments: FollowingWay.all) func changesOfWhatIsReadAreToldAndOthersAreNot(way: FollowingWay) throws
  {
    try compare(
      way, Base.init, follow: followBase,
      turns: [
        { $0.field = 1 }, { $0.field = 1 }, { $0.other = "b" }, { $0.ignored = 4 }, { $0.field += 1 },
        { $0.bump() },
        { $0.other = "b" }, { _ in },
        {
          $0.field = 5; $0.field = 6
        },
        {
          $0.field = 7; $0.field = 6
        },
      ]
    ) { _ = $0.field }
  }

  @Test(arguments: FollowingWay.all) func aReaderOfAComputedPropertyIsToldOfItsParts(way: FollowingWay) throws
  {
    try compare(
      way, Base.init, follow: followBase,
      turns: [{ $0.field = 1 }, { $0.other = "x" }, { $0.field = 1 }, { $0.field = 2 }]
    ) { _ = $0.computed }
  }

  @Test(arguments: FollowingWay.all) func aReaderOfSeveralIsToldOnceATurn(way: FollowingWay) throws {
    try compare(
      way, Base.init, follow: followBase,
      turns: [
        {
          $0.field = 1; $0.other = "x"
        }, { $0.other = "y" }, { $0.field = 2 },
        {
          $0.other = "z"; $0.field = 3
        },
      ]
    ) { _ = ($0.field, $0.other) }
  }

  @Test(arguments: FollowingWay.all) func whatIsReadMayDependOnValues(way: FollowingWay) throws {
    try compare(
      way, Base.init, follow: followBase,
      turns: [
        { $0.other = "x" }, { $0.field = 1 }, { $0.other = "y" }, { $0.field = 2 }, { $0.other = "z" },
        { $0.field = 3 },
        {
          $0.other = "w"; $0.field = 4
        }, { $0.other = "v" },
      ]
    ) { if $0.field.isMultiple(of: 2) { _ = $0.field } else { _ = $0.other } }
  }

  @Test(arguments: FollowingWay.all) func aSubclassIsToldOfBothParts(way: FollowingWay) throws {
    try compare(
      way, Child.init, follow: { $0.follow($1, as: "child", properties: \.field, \.own) },
      turns: [
        { $0.field = 1 }, { $0.own = 2 }, { $0.own = 2 }, { $0.other = "b" },
        {
          $0.field = 3; $0.own = 3
        },
      ]
    ) { _ = ($0.field, $0.own) }
  }

  @Test(arguments: FollowingWay.all) func mutationsInPlaceAreToldWhateverTheyChange(way: FollowingWay) throws
  {
    try compare(
      way, Nested.init, follow: { $0.follow($1, as: "nested", properties: \.list, \.maybe, \.double) },
      turns: [
        { $0.list.append(3) }, { $0.list.removeAll { $0 > 99 } }, { $0.list = [1, 2, 3] }, { $0.list[0] = 1 },
        { $0.maybe = nil }, { $0.maybe = 1 }, { $0.maybe! += 1 }, { $0.double = .nan }, { $0.double = .nan },
        { $0.double = -0.0 }, { $0.double = 0.0 },
      ], unchanged: [1, 3, 8]
    ) { _ = ($0.list, $0.maybe, $0.double) }
  }

  @Test(arguments: FollowingWay.all) func valuesThatCannotBeComparedAreToldAtEachSet(way: FollowingWay) throws
  {
    try compare(
      way, Nested.init, follow: { $0.follow($1, as: "nested", properties: \.pair, \.closure) },
      turns: [{ $0.pair = (1, 2) }, { $0.closure = { 1 } }, { $0.pair.first = 1 }, { $0.pair.second = 5 }],
      unchanged: [0, 2]
    ) { _ = ($0.pair.first, $0.closure()) }
  }

  @Test(arguments: FollowingWay.all) func aReaderOfAnInnerObjectIsToldOfItAndOfTheOneThatHoldsIt(
    way: FollowingWay
  ) throws {
    try compare(
      way, Nested.init,
      follow: { session, nested in
        session.follow(nested, as: "nested", properties: \.inner)
        session.follow(nested.inner, as: "inner", properties: \.field)
      },
      turns: [
        { $0.inner.field = 1 }, { $0.inner.other = "b" }, { $0.inner = Base() }, { $0.inner.field = 1 },
        { $0.inner.field = 1 },
      ]
    ) { _ = $0.inner.field }
  }

  /// A set within a mutation of another property, whose value must not be read then.
  @Test func aSetWithinAMutationInPlaceIsRecorded() throws {
    let session = Session()
    let nested = Nested()
    session.follow(nested, as: "nested", properties: \.list, \.maybe)
    var seen: [String] = []
    session.projection("Both") { _ in seen.append("\(nested.list) \(nested.maybe ?? 0)") }
    nested.list.removeAll { number in
      nested.maybe = number
      session.mark("within")
      return number == 1
    }
    session.flush()
    #expect(seen == ["[1, 2] 0", "[2] 2"])
  }

  @Test func observersThatWriteDoNotDisturbTheSession() throws {
    let session = Session()
    let (base, echo) = (Base(), Base())
    // An observer that writes does so before the value is stored, and before or after the session is told, which the library does
    // not decide. So a run may see the second object first.
    session.follow(base, as: "base", properties: \.field)
    session.follow(echo, as: "echo", properties: \.field)
    nonisolated(unsafe) let other = echo
    withObservationTracking {
      _ = base.field
    } onChange: {
      other.field += 1
    }
    var sums: [Int] = []
    session.projection("Sum") { _ in sums.append(base.field + echo.field) }
    base.field = 10
    session.flush()
    #expect(sums == [0, 11] || sums == [0, 1, 11])
  }

  @Test func anObjectThatComesAndGoesLeavesNothing() throws {
    let session = Session()
    for number in 0..<500 {
      let base = Base()
      session.follow(base, as: "base\(number)", properties: \.field)
      session.projection("P") { [weak base] _ in base?.field }.cancel()
      base.field = number
      session.flush()
    }
    session.flush()
    #expect(session.followedCount <= 64)
  }

  /// A reader that outlives what it has read keeps no trace of it, nor does the state.
  @Test func aReaderOfObjectsThatComeAndGoDoesNotGrow() throws {
    let place = try LogPlace()
    let session = try Session(recordingTo: place.url)
    let shelf = Shelf()
    session.follow(shelf, as: "shelf", properties: \.base)
    var runs = 0
    session.projection("Reader") { _ in
      runs += 1
      _ = shelf.base?.field
    }
    for number in 0..<1_000 {
      let base = Base()
      session.follow(base, as: "base\(number)", properties: \.field)
      shelf.base = base
      session.flush()
      base.field = number + 1
      session.flush()
    }
    #expect(runs == 2_001)
    let (learned, reads, objects) = session.engine.withLock { state in
      let node = state.nodes.all.first
      return (
        node?.trackedReader?.learned.count ?? 0, node?.lastReads.count ?? 0, state.core.state.objects.count
      )
    }
    #expect(learned <= 70 && reads <= 70 && objects < 1_000)
    try closeAndCheck(session, place.url)
  }

  @Observable final class Shelf { var base: Base? }
}

extension Session {
  fileprivate var followedCount: Int { engine.withLock { $0.followed?.count ?? 0 } }
}
