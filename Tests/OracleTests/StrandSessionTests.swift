import Testing

/// Sessions in which several threads have transactions at once.
@Suite struct StrandSessionTests {
  @Test(arguments: StrandSession.sessions)
  func aTransactionHoldsTheWritesOfItsOwnStrand(session: StrandSession) throws {
    let script = try #require(Script(session.text))
    var oracle = Oracle()
    var invalidated: [String] = []
    for (index, line) in script.lines.enumerated() {
      for entry in try oracle.apply(line, seq: index + 1) {
        invalidated.append(
          "\(entry.seq) \(entry.projection) \(entry.causes), \(entry.cascade) + \(entry.depth)")
      }
    }
    #expect(invalidated == session.invalidated)
    if let mismatch = script.mismatch() { Issue.record("\(mismatch)") }
  }

  @Test func everyTransactionOfARandomSessionEndsAndManyOverlap() throws {
    var overlapping = 0
    for seed in UInt64(1)...50 {
      let script = Generator.session(seed: seed)
      var oracle = Oracle()
      var strands = 0
      for (index, line) in script.lines.enumerated() {
        // A few lines are there to be refused.
        _ = try? oracle.apply(line, seq: index + 1)
        strands = max(strands, oracle.open.count)
      }
      #expect(oracle.transactions == 0, "seed \(seed)")
      if strands > 1 { overlapping += 1 }
    }
    #expect(overlapping > 5)
  }
}
