import Observation
import Projection

struct Row: Identifiable, Equatable, Sendable {
  var id: Int
  var title: String
  var count = 0

  static func seed(_ count: Int) -> [Row] { (0..<count).map { Row(id: $0, title: "Row \($0)") } }
}

@Observable final class ObservableStore {
  var rows: [Row] = []
  var number = 0
}

@Recorded final class RecordedStore {
  var rows: RecordedArray<Row> = []
  var number = 0
}
