import Projection

/// A value of many parts without `==`, which is compared part by part.
private struct Chapter {
  let item: Item
  let pages: [Int]
}

/// What a row is handed with a closure in it, which nothing can compare.
private struct Tapped {
  let item: Item
  let tap: () -> Void
}

/// Bodies and comparisons that take long, and inputs that cannot be compared.
extension Stage {
  /// A row's input has no `==`, and hundreds of parts. Mended, it is an id.
  func plainComparison() -> Truth {
    let (list, row) = (names.view(), names.view())
    let moments = person.samples(part.events, every: 60...400)
    let pages = Array(0..<random.magnitude(20...200))
    show(list) { [unowned self] canvas in
      let position = store.fast
      for item in items {
        let body: @MainActor (Canvas) -> String = { [unowned self] _ in text(of: item) }
        if isMended {
          canvas.child(row, id: item.id, input: item.id, body)
        } else {
          // As long as the comparison of the parts takes.
          Work.spend(pages.count / 4, isComparing: true)
          canvas.child(row, id: item.id, input: Chapter(item: item, pages: pages), body)
        }
      }
      return "at \(position)"
    }
    at(moments) { [unowned self] index in write { store.fast = Double(index) + 0.5 } }
    return .cause(
      [.slowComparison, .mixedReads, .hotParent, .changedInput, .notEquatable], views: [list, row],
      paths: [path(.fast)])
  }

  /// A row is handed a closure, so it runs whenever the list does. Mended, it is handed its element.
  func closureInput() -> Truth {
    let (list, row) = (names.view(), names.view())
    let moments = person.samples(part.events, every: 60...400)
    show(list) { [unowned self] canvas in
      let position = store.fast
      for item in items {
        let body: @MainActor (Canvas) -> String = { [unowned self] _ in text(of: item) }
        if isMended {
          canvas.child(row, id: item.id, input: item, body)
        } else {
          canvas.child(row, id: item.id, input: Tapped(item: item) {}, body)
        }
      }
      return "at \(position)"
    }
    at(moments) { [unowned self] index in write { store.fast = Double(index) + 0.5 } }
    return .cause(
      [.changedInput, .hotParent, .mixedReads, .diagnostic], views: [list, row], paths: [path(.fast)])
  }

  /// A body goes through all that has happened so far. Mended, it shows the end of it.
  func growingBody() -> Truth {
    let panel = names.view()
    let moments = person.samples(max(part.events, 60), every: 300...1_500)
    var history = 0
    show(panel) { [unowned self] _ in
      Work.spend(isMended ? 40 : 40 + history * 60)
      return "\(store.second)"
    }
    at(moments) { [unowned self] index in
      history += 1
      write { store.second = index + 1 }
    }
    return .cause([.grows], views: [panel])
  }

  /// A sensor sets what a view shows hundreds of times a second. Mended, one in sixteen readings is shown.
  func flood() -> Truth {
    let panel = names.view()
    let moments = person.samples(max(part.events, 120) * 4, every: 2...3)
    show(panel) { [unowned self] _ in
      Work.spend(panelCost * 4)
      return "\(store.fast)"
    }
    at(moments) { [unowned self] index in
      if isMended, index % 16 != 0 { return }
      write { store.fast = Double(index) + 0.5 }
    }
    // How many a second are enough is for the app to say.
    return Truth().or([.flood], views: [panel], paths: [path(.fast)])
  }

  /// A view that returns nothing runs for sets of a value without `==` that is the same. Mended, it is compared first.
  func voidReader() -> Truth {
    let (panel, painter) = (names.view(), names.view())
    let moments = person.samples(part.events, every: 100...1_000)
    let tints = moments.map { _ in random.chance(8) ? random.one(of: ["red", "green", "blue"]) : nil }
    var painted = ""
    show(panel) { [unowned self] canvas in
      canvas.child(painter) { [unowned self] _ in
        Work.spend(panelCost)
        painted = store.look.tint
      }
      return panel
    }
    var served = "grey"
    at(moments) { [unowned self] index in
      served = tints[index] ?? served
      if isMended, store.look.tint == served { return }
      write { store.look = Look(tint: served, weight: 1) }
    }
    _ = painted
    return .cause([.notEquatable, .sameValue], views: [painter], paths: [path(.look)])
  }
}
