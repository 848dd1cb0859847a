import Projection
import ReplayTesting
import Testing

@Recorded final class Counters {
  var values: RecordedArray = [0, 0, 0]
}

@Test func aBumpRunsItsRowAlone() throws {
  try withRecordedSession { session in
  }
}
