import EventLog

/// How many of those that were woken are tried to find one that ran.
private let hitsTried = 16

/// Flat cascades: a root, and what it woke and what ran for that, nothing else.
extension OpenCascades {
  /// Whether it is plain and all that ran was woken by the root; false, too, where that takes long to tell.
  func isFlat(_ place: Int) -> Bool {
    guard slots[place].full == nil, slots[place].title >= 0 else { return false }
    // Who is woken runs in the same order, mostly.
    var hit = slots[place].hits.first
    var run = slots[place].evaluations.first
    while run >= 0 {
      guard let found = findHit(of: evaluations[run].projection, in: place, from: hit) else { return false }
      hit = found
      run = evaluations.next(run)
    }
    return true
  }

  private func findHit(of projection: Int32, in place: Int, from start: Int32) -> Int32? {
    var hit = start
    for _ in 0..<hitsTried {
      if hit < 0 { hit = slots[place].hits.first }
      if hit < 0 { return nil }
      if hits[hit].projection == projection { return hit }
      hit = hits.next(hit)
    }
    return nil
  }

  /// Draws the tree of a flat one.
  func draw(
    _ place: Int, _ sketch: inout CascadeSketch, _ titles: inout CascadeNames, _ tables: borrowing RunTables
  ) {
    sketch.begin(slots[place].title)
    var run = slots[place].evaluations.first
    while run >= 0 {
      let evaluation = evaluations[run]
      sketch.addRun(titles.projection(Int(evaluation.projection), tables), evaluation)
      run = evaluations.next(run)
    }
    var hit = slots[place].hits.first
    while hit >= 0 {
      sketch.addInvalidation(titles.projection(Int(hits[hit].projection), tables))
      hit = hits.next(hit)
    }
  }

  /// How many were woken and how many ran in a flat one, if what was derived is what was recorded.
  func countIfAsRecorded(_ place: Int) -> (invalidations: Int, evaluations: Int)? {
    let counts = (hits.count(slots[place].hits), evaluations.count(slots[place].evaluations))
    return slots[place].recorded == counts.0 ? counts : nil
  }
}
