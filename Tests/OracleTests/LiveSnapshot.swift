/// Compares live objects with the model's state, object by object, and pairs each live object with one of the model's.
struct LiveSnapshot {
  let world: World
  private var numbers: [ObjectIdentifier: Int] = [:]
  private(set) var differences: [String] = []

  init(_ world: World) { self.world = world }

  mutating func compare(_ store: LiveStore, _ number: Int) {
    let rows = world.objects[number]?["rows"]
    let players = world.objects[number]?["players"]
    if case .array(let elements)? = rows, elements.count == store.rows.count {
      for (row, value) in zip(store.rows, elements) { compare(row, value) }
    } else {
      differences.append("rows: \(rows?.json ?? "missing")")
    }
    if case .map(let fields)? = players, fields.entries.count == store.players.count {
      for (key, row) in store.players { compare(row, fields[key] ?? .null) }
    } else {
      differences.append("players: \(players?.json ?? "missing")")
    }
    if let selected = store.selected {
      compare(selected, world.objects[number]?["selected"] ?? .null)
    } else {
      expect(.null, "selected", of: number)
    }
    let items = store.items.map { item in
      Plain.map(
        Fields(entries: [
          ("id", .int(Int64(item.id))), ("title", .string(item.title)), ("count", .int(Int64(item.count))),
        ]))
    }
    expect(.array(items), "items", of: number)
    expect(.array(store.names.map { .string($0) }), "names", of: number)
    expect(.string(store.text), "text", of: number)
    expect(.double(store.level), "level", of: number)
    expect(.bool(store.isLoading), "isLoading", of: number)
  }

  private mutating func compare(_ row: LiveRow, _ value: Plain) {
    guard case .reference(let number) = value else {
      differences.append("row \(row.id) is \(value.json)")
      return
    }
    if let known = numbers[ObjectIdentifier(row)] {
      if known != number { differences.append("one object is #\(known) and #\(number)") }
      return
    }
    numbers[ObjectIdentifier(row)] = number
    expect(.int(Int64(row.id)), "id", of: number)
    expect(.string(row.title), "title", of: number)
    expect(.int(Int64(row.count)), "count", of: number)
    if let next = row.next {
      compare(next, world.objects[number]?["next"] ?? .null)
    } else {
      expect(.null, "next", of: number)
    }
  }

  /// Values agree to the bit.
  private mutating func expect(_ value: Plain, _ property: String, of number: Int) {
    let recorded = world.objects[number]?[property]
    if recorded?.json != value.json {
      differences.append(
        "#\(number).\(property): live \(value.json), recorded \(recorded?.json ?? "missing")")
    }
  }
}
