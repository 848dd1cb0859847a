import Projection
import ReplayAnalysis
import ReplayTesting
import Testing

@testable import Dependant

@Test func aBumpRunsTheLabelOnce() throws {
  try withRecordedSession { session in
    let counter = Counter()
    session.attach(counter, as: "counter")
    session.projection("Label") { _ in "\(counter.count)" }
    session.expectEvaluations(["Label": 1]) { counter.count += 1 }
  }
}
