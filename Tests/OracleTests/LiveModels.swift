import Projection

/// The models of live sessions: objects in objects, arrays of both kinds, a dictionary of objects, text.
@Recorded final class LiveStore {
  var rows: RecordedArray<LiveRow> = []
  var items: RecordedArray<LiveItem> = []
  var players: RecordedDictionary<String, LiveRow> = [:]
  var names: [String] = []
  var selected: LiveRow?
  var text = "abc"
  var level = 0.0
  var isLoading = false
}

@Recorded final class LiveRow: Identifiable {
  var id: Int
  var title = ""
  var count = 0
  var next: LiveRow?

  init(id: Int) { self.id = id }
}

struct LiveItem: Identifiable, Equatable {
  var id: Int
  var title = ""
  var count = 0
}
