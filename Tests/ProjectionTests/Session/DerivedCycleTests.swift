import Projection
import Testing

/// Derived values that depend on each other are reported with their path; nothing traps, hangs or runs
/// forever.
@Suite struct DerivedCycleTests {
  let model = Rows()
  let session = Session()

  init() { session.attach(model, as: "row") }

  /// The session still reacts to changes.
  private func expectUsable() {
    let seen = Journal()
    let length = session.derived("length") { model.text.count }
    session.projection("View") { _ in seen.append("\(length.value)") }
    model.text = "after"
    #expect(seen.lines == ["4", "5"])
  }

  @Test func aValueThatReadsItselfOnItsFirstRunIsAnErrorWithThePath() {
    var itself: Derived<Int>?
    itself = session.derived("a") { (itself?.value ?? 0) + 1 }
    #expect(itself?.value == 1)
    #expect(itself?.value == 1)
    #expect(session.diagnostics.map(\.message) == ["derived values depend on each other: a -> a"])
    expectUsable()
  }

  @Test func aCircleOfSeveralNamesAllOfThemInTheOrderOfReading() {
    var c: Derived<String>?
    let a = session.derived("a") { c?.value ?? "" }
    let b = session.derived("b") { a.value }
    c = session.derived("c") { b.value }
    #expect(c?.value == "")
    #expect(session.diagnostics.map(\.message) == ["derived values depend on each other: c -> b -> a -> c"])
    expectUsable()
  }

  @Test func aCircleThatCanThrowIsThrownWithItsPath() throws {
    var b: ThrowingDerived<Int>?
    let a = session.derived("a") { try (b?.value ?? 0) + model.plain }
    b = session.derived("b") { try a.value }
    let cycle = try #require(throws: DerivedCycle.self) { try a.value }
    #expect(cycle.path == ["a", "b", "a"])
    #expect("\(cycle)" == "derived values depend on each other: a -> b -> a")
    #expect(throws: DerivedCycle.self) { try b?.value }
    #expect(session.diagnostics == [])
    expectUsable()
  }

  @Test func aCircleThatOpensHasAValueAgain() throws {
    var b: ThrowingDerived<Int>?
    let a = session.derived("a") { try model.plain > 0 ? (b?.value ?? 0) : 7 }
    b = session.derived("b") { try a.value + 1 }
    let seen = Journal()
    session.projection("View") { _ in seen.append((try? b?.value).map { "\($0)" } ?? "error") }
    #expect(throws: DerivedCycle.self) { try a.value }
    model.plain = 0
    #expect(try a.value == 7 && b?.value == 8)
    model.plain = 1
    #expect(throws: DerivedCycle.self) { try b?.value }
    model.plain = 0
    #expect(try b?.value == 8)
    #expect(seen.lines == ["error", "8", "error", "8"])
    #expect(session.diagnostics == [])
  }

  @Test func aCircleThatClosesLaterGoesOnWithTheLastValue() {
    var b: Derived<Int>?
    let a = session.derived("a") { model.plain > 1 ? min((b?.value ?? 0), 5) : 3 }
    b = session.derived("b") { a.value }
    #expect(b?.value == 3)
    model.plain = 2
    #expect(b?.value == 3)
    #expect(session.diagnostics.first?.message.hasPrefix("derived values depend on each other: ") == true)
    expectUsable()
  }

  @Test func aCircleThatGrowsForEverIsStoppedIfItIsObserved() {
    var b: Derived<Int>?
    let a = session.derived("a") { model.plain > 1 ? (b?.value ?? 0) + 1 : 0 }
    b = session.derived("b") { a.value + 1 }
    session.projection("View") { _ in (a.value, b?.value) }
    model.plain = 2
    #expect(
      session.diagnostics.contains {
        $0.message.contains("a -> b -> a") || $0.message.contains("b -> a -> b")
      })
    model.plain = 1
    #expect(a.value == 0 && b?.value == 1)
    expectUsable()
  }

  @Test func aCircleInATransactionIsAnErrorToo() throws {
    var b: ThrowingDerived<Int>?
    let a = session.derived("a") { try model.plain > 1 ? (b?.value ?? 0) : 1 }
    b = session.derived("b") { try a.value }
    try session.transaction { () throws in
      #expect(try b?.value == 1)
      model.plain = 2
      #expect(throws: DerivedCycle.self) { try b?.value }
      model.plain = 1
      #expect(try b?.value == 1)
    }
    expectUsable()
  }

  @Test func aCircleIsAnErrorAfterTheSessionIsClosed() throws {
    var b: ThrowingDerived<Int>?
    let a = session.derived("a") { try b?.value ?? 0 }
    b = session.derived("b") { try a.value }
    var itself: Derived<Int>?
    itself = session.derived("itself") { (itself?.value ?? 0) + 1 }
    try session.close()
    let cycle = try #require(throws: DerivedCycle.self) { try b?.value }
    #expect(cycle.path == ["b", "a", "b"])
    #expect(itself?.value == 1)
  }

  @Test func theFirstReadOfAValueWithinItselfIsEmpty() {
    func first<T>(_ make: @escaping (T) -> T) -> T? {
      let session = Session()
      var itself: Derived<T>?
      itself = session.derived("a") { make(itself.unsafelyUnwrapped.value) }
      defer { #expect(session.diagnostics.count == 1) }
      return itself?.value
    }
    #expect(first { $0 + 1.5 } == 1.5)
    #expect(first { !$0 } == true)
    #expect(first { $0 + "x" } == "x")
    #expect(first { $0 + [1] } == [1])
    #expect(first { $0.union([1]) } == Set([1]))
    #expect(first { (old: [String: Int]) in old.isEmpty ? ["a": 1] : old } == ["a": 1])
    #expect(first { (old: Unequal?) in old == nil ? Unequal() : nil } != nil)
    first { (_: Void) in () }
  }
}
