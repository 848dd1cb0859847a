import Projection
import ReplayTesting
import Testing

@Recorded final class Counters {
  var values: RecordedArray = [0, 0, 0]
}

@Test func aBumpRunsItsRowAlone() throws {
  try withRecordedSession { session in
    let counters = Counters()
    session.attach(counters, as: "counters")
    for row in 0..<3 {
      session.projection("Row#\(row)") { _ in "\(counters.values[row])" }
    }
    session.expectEvaluations(["Row": 1], others: 0) { counters.values[1] += 1 }
  }
}
