import Projection

/// Views that read more than they show.
extension Stage {
  /// A parent reads what only a small child should show, so its rows run along.
  func wideRead() -> Truth {
    let moments = person.samples(part.events, every: 33...120)
    let truth = wideParent([.hotParent, .mixedReads])
    let values = moments.map { _ in Double(random.int(1...8_000)) / 16 }
    at(moments) { [unowned self] index in write { store.fast = values[index] } }
    return truth
  }

  /// The same with a timer of the app, 30 times a second, while a person types.
  func timerTick() -> Truth {
    // Thirty times a second is more often than a person can read, so less often is a mend, too.
    let truth = wideParent([.hotParent, .mixedReads])
      .or([.flood], paths: [path(.fast)])
    let start = random.int(200...900)
    let typed = person.typing(min(part.events / 4, 20))
    let keys = person.keys(typed.count)
    var ticksLeft = part.events
    script.add(at: .milliseconds(start)) { [unowned self] in
      world.start { [unowned self] in
        while ticksLeft > 0, await world.pause(.microseconds(33_333)) {
          ticksLeft -= 1
          event { [unowned self] in write { store.fast += 0.0625 } }
        }
      }
    }
    for (text, moment) in zip(typed, keys) {
      script.add(at: moment) { [unowned self] in store.query = text }
    }
    return truth
  }

  /// The parent of both. Mended, a child reads the fast value.
  private func wideParent(_ rules: [Rule]) -> Truth {
    let (parent, badge, row, detail) = (names.view(), names.view(), names.view(), names.view())
    let isDeep = random.chance(50)
    show(parent) { [unowned self] canvas in
      Work.spend(panelCost)
      if isMended { canvas.child(badge) { [unowned self] _ in "at \(store.fast)" } }
      for item in store.rows {
        canvas.child(row, id: item.id) { [unowned self] canvas in
          guard isDeep else { return text(of: item) }
          canvas.child(detail) { [unowned self] _ in text(of: item) }
          return item.caption
        }
      }
      return isMended ? store.title : "\(store.title) at \(store.fast)"
    }
    return .cause(rules, views: [parent], paths: [path(.fast)])
  }

  /// Each row reads the whole collection to show one element of it.
  func wholeCollectionRow() -> Truth {
    let (list, row) = (names.view(), names.view())
    let isPlain = random.chance(50)
    show(list) { [unowned self] canvas in
      for (index, id) in items.map(\.id).enumerated() {
        canvas.child(row, id: id, input: index) { [unowned self] _ in
          if isMended { return text(of: store.rows[id: id]) }
          return text(of: isPlain ? store.plain[index] : store.rows.elements.first { $0.id == id })
        }
      }
      return "\(items.count)"
    }
    changeAmounts(usingPlain: isPlain && !isMended, person.taps(part.events))
    return .cause(
      [.wholeCollection, .followsWhole, .excessReads, .oneOfMany], views: [row],
      paths: [path(isPlain ? .plain : .rows)])
  }

  /// Each row computes the greatest amount of all elements. Mended, one derived value knows whose it is, and the list hands each
  /// row whether that is its own.
  func collectionTop() -> Truth {
    let (list, row, top) = (names.view(), names.view(), names.view())
    let compute: @MainActor () -> Int = { [unowned self] in
      Work.spend(1 + part.rows / 20)
      return store.rows.elements.max { ($0.amount, $1.id) < ($1.amount, $0.id) }?.id ?? 0
    }
    let greatest = isMended ? derived(top, compute) : nil
    show(list) { [unowned self] canvas in
      let first = greatest?.value
      for id in store.rows.ids {
        canvas.child(row, id: id, input: Choice(id: id, isChosen: first == id)) { [unowned self] _ in
          text(of: store.rows[id: id]) + ((first ?? compute()) == id ? " *" : "")
        }
      }
      return shown(store.rows.ids) + (first.map { " \($0)" } ?? "")
    }
    changeAmounts(usingPlain: false, person.taps(part.events))
    return .cause(
      [.aggregate, .wholeCollection, .followsWhole, .excessReads, .oneOfMany], views: [row],
      paths: [path(.rows)])
  }

  /// Each row reads which one is selected. Mended, the list reads it and hands each row whether it is.
  func sharedSelection() -> Truth {
    let (list, row) = (names.view(), names.view())
    let moments = person.taps(part.events)
    let chosen = moments.map { _ in random.one(of: items).id }
    show(list) { [unowned self] canvas in
      let selection = isMended ? store.selection : nil
      for item in items {
        canvas.child(row, id: item.id, input: Choice(id: item.id, isChosen: selection == item.id)) {
          [unowned self] _ in
          let isChosen = (selection ?? store.selection) == item.id
          return (isChosen ? "> " : "  ") + text(of: item)
        }
      }
      return selection.map { "\(list) \($0)" } ?? list
    }
    at(moments) { [unowned self] index in write { store.selection = chosen[index] } }
    return .cause([.oneOfMany, .excessReads], views: [row], paths: [path(.selection)])
  }

  /// A header goes through all elements to count them.
  func headerCount() -> Truth {
    let (header, list, row) = (names.view(), names.view(), names.view())
    show(header) { [unowned self] _ in
      Work.spend(panelCost)
      return isMended ? "\(store.rows.count)" : "\(store.rows.elements.count)"
    }
    show(list) { [unowned self] canvas in makeRows(row, in: canvas) }
    changeAmounts(usingPlain: false, person.taps(part.events))
    return .cause([.excessReads, .followsWhole, .wholeCollection], views: [header], paths: [path(.rows)])
  }

  /// Views read a value that has no part in what they show.
  func unshownRead() -> Truth {
    let (list, row) = (names.view(), names.view())
    let readers = random.chance(50) ? 1 : random.int(1...part.rows)
    let moments = person.samples(part.events, every: 40...400)
    show(list) { [unowned self] canvas in
      for (index, item) in items.enumerated() {
        canvas.child(row, id: item.id, input: item) { [unowned self] _ in
          // What a condition reads that was true once, or a line of a log that was forgotten.
          if !isMended, index < readers, store.fast < 0 { return "" }
          if index < readers { Work.spend(panelCost) }
          return text(of: item)
        }
      }
      return list
    }
    at(moments) { [unowned self] index in write { store.fast = Double(index) / 4 + 0.25 } }
    return .cause([.excessReads, .followsWhole, .oneOfMany], views: [row], paths: [path(.fast)])
  }

  /// A person changes the amount of one element after the other.
  func changeAmounts(usingPlain: Bool, _ moments: [Duration]) {
    let changes = moments.map { _ in (index: random.int(0...(part.rows - 1)), by: random.int(1...9)) }
    at(moments) { [unowned self] event in
      let (index, step) = changes[event]
      write { if usingPlain { store.plain[index].amount += step } else { store.rows[index].amount += step } }
    }
  }
}

/// What a row is handed: whose it is, and whether that is the one.
private struct Choice: Equatable {
  let id: Int
  let isChosen: Bool
}
