import Projection

/// Rows that are not known again, inputs that differ for nothing, and bodies that take long.
extension Stage {
  /// Each load gives its elements new ids, so all rows are made anew. Mended, the ids stay.
  func freshIdentity() -> Truth {
    let (list, row) = (names.view(), names.view())
    let moments = person.taps(part.events)
    let changes = moments.indices.map { (random.int(0...(part.rows - 1)), 1_000 + $0) }
    var nextID = 500_000
    var served = items
    show(list) { [unowned self] canvas in makeRows(row, in: canvas) }
    at(moments) { [unowned self] event in
      let (index, amount) = changes[event]
      guard !isMended else { return write { store.rows[index].amount = amount } }
      served[index].amount = amount
      served = served.map { item in
        nextID += 1
        return Item(id: nextID, caption: item.caption, amount: item.amount)
      }
      write { store.rows = RecordedArray(served) }
    }
    return .cause(
      [.madeAnew, .wholesaleChange, .indexIdentity, .replacedObject], views: [list, row], paths: [path(.rows)]
    )
  }

  /// Rows are known by their place, and elements come in at the front. Mended, they are known by their id.
  func placeIdentity() -> Truth {
    let (list, row) = (names.view(), names.view())
    // So few that the list at most doubles, and its runs do not take longer and longer.
    let moments = person.taps(min(part.events, max(8, part.rows)))
    let places = moments.map { _ in random.chance(80) ? 0 : random.int(0...(part.rows / 4)) }
    let isDeleting = random.chance(30)
    show(list) { [unowned self] canvas in
      for (index, item) in store.rows.enumerated() {
        canvas.child(row, id: isMended ? item.id : index, input: item) { [unowned self] _ in text(of: item) }
      }
      return shown(store.rows.ids)
    }
    at(moments) { [unowned self] event in
      let removes = isDeleting && store.rows.count > part.rows / 2 && event % 2 == 1
      write {
        if removes {
          store.rows.remove(at: places[event])
        } else {
          store.rows.insert(
            Item(id: 700_000 + event, caption: "new \(event)", amount: event), at: places[event])
        }
      }
    }
    return .cause([.indexIdentity], views: [list, row], paths: [path(.rows)])
  }

  /// A row is handed what changes all the time, though it draws its element only.
  func changedInput() -> Truth {
    let (list, row) = (names.view(), names.view())
    let moments = person.samples(part.events, every: 33...250)
    show(list) { [unowned self] canvas in
      let position = store.fast
      for item in store.rows {
        let input = PlacedItem(item: item, position: isMended ? 0 : position)
        canvas.child(row, id: item.id, input: input) { [unowned self] _ in text(of: item) }
      }
      return "at \(position)"
    }
    at(moments) { [unowned self] index in write { store.fast = Double(index) + 0.5 } }
    return .cause([.changedInput, .hotParent, .mixedReads], views: [list, row], paths: [path(.fast)])
  }

  /// A row's input takes long to compare, and is compared at each run of its parent. Mended, it is an id.
  func dearComparison() -> Truth {
    let (list, row) = (names.view(), names.view())
    let moments = person.samples(part.events, every: 60...400)
    let effort = random.magnitude(20...400)
    show(list) { [unowned self] canvas in
      let position = store.fast
      for item in items {
        let body: @MainActor (Canvas) -> String = { [unowned self] _ in text(of: item) }
        if isMended {
          canvas.child(row, id: item.id, input: item.id, body)
        } else {
          canvas.child(row, id: item.id, input: Dossier(item: item, effort: effort), body)
        }
      }
      return "at \(position)"
    }
    at(moments) { [unowned self] index in write { store.fast = Double(index) + 0.5 } }
    return .cause(
      [.slowComparison, .mixedReads, .hotParent, .changedInput], views: [list, row], paths: [path(.fast)])
  }

  /// A body computes something slow of what seldom changes, whenever something fast does. Mended, it is derived.
  func slowBody() -> Truth {
    let (panel, ranking) = (names.view(), names.view())
    let moments = person.samples(part.events, every: 60...300)
    let effort = random.magnitude(40...800)
    let rank: @MainActor () -> String = { [unowned self] in
      let sorted = store.rows.elements.sorted { $0.amount > $1.amount }
      Work.spend(effort * 4)
      return sorted.prefix(3).map(\.caption).joined(separator: ", ")
    }
    let derivedRank = isMended ? derived(ranking, rank) : nil
    show(panel) { [unowned self] _ in
      "\(derivedRank?.value ?? rank()) at \(store.fast)"
    }
    at(moments) { [unowned self] index in write { store.fast = Double(index) + 0.5 } }
    return .cause([.slowBody, .mixedReads], views: [panel], paths: [path(.fast)])
  }
}

/// An input whose comparison takes long.
private struct Dossier: Equatable {
  let item: Item
  let effort: Int

  static func == (a: Dossier, b: Dossier) -> Bool {
    Work.spend(a.effort, isComparing: true)
    return a.item == b.item
  }
}

/// An input with a part that the row does not draw.
private struct PlacedItem: Equatable {
  let item: Item
  let position: Double
}
