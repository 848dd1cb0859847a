/// The columns that tell who made an event. Most blocks have none of them, so an event that says nothing costs nothing.
struct OriginColumns {
  private static let columns: [Column] = [.threads, .tasks, .stacks]
  /// How many events each column reaches over.
  private var ends = [0, 0, 0]

  /// Takes in the origin of an event from its staged row.
  mutating func add(
    from row: inout RowReader, at event: Int, _ columns: inout ColumnBuffers,
    _ tables: inout BlockTablesBuilder
  ) {
    for (index, column) in Self.columns.enumerated() {
      let name = row.varint()
      if name == 0 { continue }
      pad(index, upTo: event, &columns)
      columns.put(column, tables.name(name - 1) + 1)
      ends[index] = event + 1
    }
  }

  /// Makes the columns that are there as long as there are events.
  mutating func fill(upTo events: Int, _ columns: inout ColumnBuffers) {
    for index in ends.indices where ends[index] > 0 { pad(index, upTo: events, &columns) }
  }

  mutating func removeAll() { ends = [0, 0, 0] }

  private func pad(_ index: Int, upTo event: Int, _ columns: inout ColumnBuffers) {
    for _ in ends[index]..<max(event, ends[index]) { columns.put(Self.columns[index], 0) }
  }
}
