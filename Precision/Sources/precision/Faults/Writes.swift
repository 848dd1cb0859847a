import Projection

/// Writes that make views run for nothing, or that nobody needs.
extension Stage {
  /// A server's answers set a value that has no `==`, and that is nearly always the same.
  func opaqueSets() -> Truth {
    let (panel, row) = (names.view(), names.view())
    let moments = person.samples(part.events, every: 200...2_000)
    let tints = moments.map { _ in random.chance(8) ? random.one(of: ["red", "green", "blue"]) : nil }
    let isWide = random.chance(50)
    show(panel) { [unowned self] canvas in
      Work.spend(panelCost)
      let tint = store.look.tint
      if isWide {
        for item in items {
          canvas.child(row, id: item.id) { [unowned self] _ in "\(text(of: item)) \(tint)" }
        }
      }
      return tint
    }
    var served = "grey"
    at(moments) { [unowned self] index in
      served = tints[index] ?? served
      if isMended, store.look.tint == served { return }
      write { store.look = Look(tint: served, weight: 1) }
    }
    return .cause([.notEquatable, .sameValue], views: [panel], paths: [path(.look)])
      .symptom([.hotParent], views: [panel], paths: [path(.look)])
  }

  /// An event sets many properties one after the other, each of which runs the view that shows them all.
  func burst() -> Truth {
    let panel = names.view()
    let answer = names.label()
    let moments = person.taps(part.events)
    let writes = random.int(3...6)
    show(panel) { [unowned self] _ in
      Work.spend(panelCost)
      return "\(store.title) \(store.first) \(store.second) \(store.third) \(store.status) \(store.selection)"
    }
    at(moments) { [unowned self] index in
      let sets: [@MainActor () -> Void] = [
        { [unowned self] in store.title = "title \(index)" }, { [unowned self] in store.first = index + 1 },
        { [unowned self] in store.second = index + 2 }, { [unowned self] in store.third = index + 3 },
        { [unowned self] in store.status = "loaded \(index)" }, { [unowned self] in store.selection = index },
      ]
      let used = sets.prefix(writes)
      if isMended {
        inTransaction(answer) { for set in used { set() } }
      } else {
        for set in used { write(set) }
      }
    }
    return .cause(
      [.burst], views: [panel],
      paths: [path(.title), path(.first), path(.second), path(.third), path(.status), path(.selection)])
  }

  /// Each answer replaces the whole collection, in which one element differs. Mended, that element is set.
  func wholesaleReplacement() -> Truth {
    random.chance(50) ? replacedValues() : replacedObjects()
  }

  private func replacedValues() -> Truth {
    let (list, row) = (names.view(), names.view())
    let answers = answersWithOneChange()
    show(list) { [unowned self] canvas in
      for (index, item) in items.enumerated() {
        canvas.child(row, id: item.id, input: index) { [unowned self] _ in
          text(of: isMended ? store.rows[index] : store.plain[index])
        }
      }
      return list
    }
    at(answers.moments) { [unowned self] event in
      let (index, amount) = answers.changes[event]
      guard !isMended else { return write { store.rows[index].amount = amount } }
      var answer = store.plain
      answer[index].amount = amount
      write { store.plain = answer }
    }
    return .cause(
      [.wholesaleChange, .wholeCollection, .followsWhole, .excessReads, .oneOfMany], views: [row],
      paths: [path(.plain)])
  }

  private func replacedObjects() -> Truth {
    let (list, row) = (names.view(), names.view())
    let answers = answersWithOneChange()
    show(list) { [unowned self] canvas in
      for (index, item) in items.enumerated() {
        canvas.child(row, id: item.id, input: index) { [unowned self] _ in
          let entry = store.entries[index]
          Work.spend(rowCost)
          return "\(entry.caption) \(entry.amount)"
        }
      }
      return list
    }
    var served = items
    at(answers.moments) { [unowned self] event in
      let (index, amount) = answers.changes[event]
      served[index].amount = amount
      if isMended {
        write { store.entries[index].amount = amount }
      } else {
        write { store.entries = RecordedArray(served.map(Entry.init)) }
      }
    }
    return .cause([.wholesaleChange, .replacedObject], views: [row], paths: [path(.entries)])
      .symptom([.wholeCollection, .oneOfMany], views: [row], paths: [path(.entries)])
  }

  private func answersWithOneChange() -> (moments: [Duration], changes: [(Int, Int)]) {
    let moments = person.samples(part.events, every: 400...4_000)
    return (moments, moments.indices.map { (random.int(0...(part.rows - 1)), 1_000 + $0) })
  }

  /// Counters are recorded that nobody reads. Mended, they are no part of the recorded state.
  func unreadWrites() -> Truth {
    let (panel, times) = (names.view(), random.int(1...4))
    let typed = person.typing(part.events)
    var count = 0
    show(panel) { [unowned self] _ in store.query }
    at(person.keys(part.events)) { [unowned self] index in
      write { store.query = typed[index] }
      for _ in 0..<times {
        if isMended { count += 1 } else { write { store.tally += 1 } }
      }
    }
    return .cause([.unread], paths: [path(.tally)])
  }
}
